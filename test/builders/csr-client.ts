// A client for the cases that no server can be made to show: an answer that never came, a right that is missing in the
// middle. It records what was written; everything that is not set up fails loudly.

import type { KubeObject, Resource } from "../../src/api/meta/index.ts";
import { Fault } from "../../src/kernel/outcome/index.ts";
import type { Target } from "../../src/platform/kube/client.ts";
import type { KubeClient } from "../../src/platform/kube/index.ts";

export interface Written {
  readonly verb: "create" | "patch" | "update";
  readonly resource: string;
  readonly target?: Target;
  readonly body: unknown;
}

type Answer = KubeObject | Fault;

export interface Answers {
  readonly get?: (resource: Resource, target: Target) => Answer;
  readonly patch?: (target: Target, body: unknown) => Answer;
  readonly update?: (object: KubeObject) => Answer;
  readonly create?: (object: KubeObject) => Answer;
}

export interface RecordingClient extends KubeClient {
  readonly written: Written[];
}

export function aRecordingClient(answers: Answers = {}): RecordingClient {
  const written: Written[] = [];
  const refuse = () => Promise.reject(new Fault("unsupported", "the recording client was not set up for this"));
  const give = async <T>(answer: Answer): Promise<T> => {
    if (answer instanceof Fault) throw answer;
    return answer as T;
  };
  return {
    written,
    get: (resource, target) =>
      answers.get === undefined ? give(new Fault("not-found", "nothing there")) : give(answers.get(resource, target)),
    patch: (resource, target, body) => {
      written.push({ verb: "patch", resource: resource.plural, target, body });
      return answers.patch === undefined ? refuse() : give(answers.patch(target, body));
    },
    create: (resource, object) => {
      written.push({ verb: "create", resource: resource.plural, body: object });
      return give(answers.create === undefined ? object : answers.create(object));
    },
    update: (resource, object, options) => {
      const target = { name: object.metadata.name ?? "", subresource: options?.subresource };
      written.push({ verb: "update", resource: resource.plural, target, body: object });
      return answers.update === undefined ? refuse() : give(answers.update(object));
    },
    list: refuse,
    delete: refuse,
    raw: refuse,
    watch: () => {
      throw new Fault("unsupported", "the recording client does not watch");
    },
    close: () => Promise.resolve(),
  };
}
