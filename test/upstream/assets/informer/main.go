// A client-go informer as any operator or controller has it: it lists and watches ConfigMaps of one namespace and prints one
// JSON value a line: every request it sends, every change it is told of, and on each line of its input what it holds.
// ../../informer.test.ts holds our watch to it.
package main

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"sync"
	"time"

	core "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

type line struct {
	What    string            `json:"what"`
	Name    string            `json:"name,omitempty"`
	Version string            `json:"version,omitempty"`
	Query   string            `json:"query,omitempty"`
	Status  int               `json:"status,omitempty"`
	Error   string            `json:"error,omitempty"`
	Held    map[string]string `json:"held,omitempty"`
}

var printing sync.Mutex

func say(l line) {
	printing.Lock()
	defer printing.Unlock()
	if err := json.NewEncoder(os.Stdout).Encode(l); err != nil {
		panic(err)
	}
}

// requests reports how each request was answered; a watch is answered when it begins.
type requests struct{ inner http.RoundTripper }

func (r requests) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := r.inner.RoundTrip(request)
	if err != nil {
		say(line{What: "failed", Query: request.URL.RawQuery, Error: err.Error()})
		return response, err
	}
	say(line{What: "request", Query: request.URL.RawQuery, Status: response.StatusCode})
	return response, nil
}

func main() {
	kubeconfig, namespace, mediaType := os.Args[1], os.Args[2], os.Args[3]
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	check(err)
	config.ContentType = mediaType
	config.AcceptContentTypes = mediaType
	config.Wrap(func(inner http.RoundTripper) http.RoundTripper { return requests{inner} })
	informer := follow(config, namespace)
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		say(line{What: "held", Held: held(informer.GetStore())})
	}
}

func follow(config *rest.Config, namespace string) cache.SharedIndexInformer {
	client, err := kubernetes.NewForConfig(config)
	check(err)
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace))
	informer := factory.Core().V1().ConfigMaps().Informer()
	check(informer.SetWatchErrorHandler(func(_ *cache.Reflector, err error) {
		say(line{What: "watch-error", Error: err.Error()})
	}))
	_, err = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { tell("added", object) },
		UpdateFunc: func(_, object any) { tell("updated", object) },
		DeleteFunc: func(object any) {
			if last, ok := object.(cache.DeletedFinalStateUnknown); ok {
				object = last.Obj
			}
			tell("deleted", object)
		},
	})
	check(err)
	factory.Start(make(chan struct{}))
	for !informer.HasSynced() {
		time.Sleep(10 * time.Millisecond)
	}
	say(line{What: "synced"})
	return informer
}

func tell(what string, object any) {
	configMap := object.(*core.ConfigMap)
	say(line{What: what, Name: configMap.Name, Version: configMap.ResourceVersion})
}

func held(store cache.Store) map[string]string {
	byName := map[string]string{}
	for _, object := range store.List() {
		configMap := object.(*core.ConfigMap)
		byName[configMap.Name] = configMap.ResourceVersion
	}
	return byName
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
