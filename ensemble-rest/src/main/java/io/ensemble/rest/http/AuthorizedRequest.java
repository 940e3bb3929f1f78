package io.ensemble.rest.http;

/**
 * A request that was let in.
 *
 * @param body all of it; empty if there was none. Not to be changed
 */
public record AuthorizedRequest(RequestHead head, RestCaller caller, byte[] body) {

  /** A parameter of the path. */
  public String path(String name) {
    return head.path(name);
  }
}
