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
public record Route(
    Method method,
    String path,
    Role role,
    int body,
    Described described,
    Answering answering,
    Scope scope) {

  /** A route of the cache, or the operation, that its path names; else of the federation. */
  public Route(
      Method method, String path, Role role, int body, Described described, Answering answering) {
    this(method, path, role, body, described, answering, Scope.of(path));
  }

  /** The same, whose handler checks what its requests are about, one by one. */
  public Route ofEach() {
    return new Route(method, path, role, body, described, answering, Scope.EACH);
  }

  /** Its name in the document, and nowhere else. */
  public String id() {
    return described.id();
  }
}
