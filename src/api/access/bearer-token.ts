// The token of an Authorization header, as Kubernetes reads it: anything but `Bearer <token>` is somebody else's scheme.

export function bearerTokenOf(authorization: string | undefined): string | undefined {
  const [scheme = "", token = ""] = (authorization ?? "").trim().split(" ");
  return scheme.toLowerCase() === "bearer" && token !== "" ? token : undefined;
}
