package io.ensemble.objects;

/**
 * A method of an atomic object called another atomic object (or its own proxy). A method may run in
 * any process, more than once, for a call that another process made; so it may change its own state
 * only. The caller's mistake; no request was sent.
 */
public final class NestedCallException extends IllegalStateException {

  /** The message says which method calls which. */
  public NestedCallException(String message) {
    super(message);
  }
}
