package io.ensemble.rest.http;

/**
 * One thing that the service can do.
 *
 * @param path its template, parameters in braces, each a segment of its own
 * @param role what whoever asks for it must be allowed to do
 * @param body the most bytes that its body may have; 0 for none
 * @param described its part of the OpenAPI document
 * @param scope where they must be allowed it
 */
public record RestRoute(
    HttpMethod method,
    String path,
    Role role,
    int body,
    RouteDescription described,
    RouteHandler answering,
    RoleScope scope) {

  /** A route of the cache, or the operation, that its path names; else of the federation. */
  public RestRoute(
      HttpMethod method,
      String path,
      Role role,
      int body,
      RouteDescription described,
      RouteHandler answering) {
    this(method, path, role, body, described, answering, RoleScope.of(path));
  }

  /** The same, whose handler checks what its requests are about, one by one. */
  public RestRoute ofEach() {
    return new RestRoute(method, path, role, body, described, answering, RoleScope.EACH);
  }

  /** Its name in the document, and nowhere else. */
  public String id() {
    return described.id();
  }
}
