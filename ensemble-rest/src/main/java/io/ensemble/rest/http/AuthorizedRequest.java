package io.ensemble.rest.http;

/**
 * A request that was admitted.
 *
 * @param operation the {@link RestRoute#id() id} of its route
 * @param body the whole body; empty if there was none. Must not be changed
 */
public record AuthorizedRequest(
    String operation, RequestHead head, RestCaller caller, byte[] body) {

  /** A parameter of the path. */
  public String path(String name) {
    return head.path(name);
  }
}
