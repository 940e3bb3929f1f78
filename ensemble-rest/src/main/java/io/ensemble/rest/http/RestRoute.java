package io.ensemble.rest.http;

/**
 * One operation of the service.
 *
 * @param path its template, with parameters in braces, each a segment of its own
 * @param role the role that the caller must have
 * @param body the maximum number of bytes of its body; 0 for none
 * @param described its part of the OpenAPI document
 * @param scope where the caller must have the role
 */
public record RestRoute(
    HttpMethod method,
    String path,
    Role role,
    int body,
    RouteDescription described,
    RouteHandler answering,
    RoleScope scope) {

  /** A route of the cache, or the operation, that its path names; otherwise of the federation. */
  public RestRoute(
      HttpMethod method,
      String path,
      Role role,
      int body,
      RouteDescription described,
      RouteHandler answering) {
    this(method, path, role, body, described, answering, RoleScope.of(path));
  }

  /** The same route with a handler that checks the permission for each thing by itself. */
  public RestRoute ofEach() {
    return new RestRoute(method, path, role, body, described, answering, RoleScope.EACH);
  }

  /** The name in the OpenAPI document, used only there. */
  public String id() {
    return described.id();
  }
}
