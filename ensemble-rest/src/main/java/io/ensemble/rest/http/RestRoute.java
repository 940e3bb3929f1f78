package io.ensemble.rest.http;

/**
 * One operation of the service.
 *
 * @param path its template, with parameters in braces, each a segment of its own
 * @param role the role that the caller must have
 * @param maxBodyBytes the maximum number of bytes of its body; 0 for none
 * @param description its part of the OpenAPI document
 * @param scope where the caller must have the role
 */
public record RestRoute(
    HttpMethod method,
    String path,
    Role role,
    int maxBodyBytes,
    RouteDescription description,
    RouteHandler handler,
    RoleScope scope) {

  /** A route of the cache, or the operation, that its path names; otherwise of the federation. */
  public RestRoute(
      HttpMethod method,
      String path,
      Role role,
      int maxBodyBytes,
      RouteDescription description,
      RouteHandler handler) {
    this(method, path, role, maxBodyBytes, description, handler, RoleScope.of(path));
  }

  /** The same route with a handler that checks the permission for each thing by itself. */
  public RestRoute withScopeEach() {
    return new RestRoute(method, path, role, maxBodyBytes, description, handler, RoleScope.EACH);
  }

  /** The name in the OpenAPI document, used only there. */
  public String id() {
    return description.id();
  }
}
