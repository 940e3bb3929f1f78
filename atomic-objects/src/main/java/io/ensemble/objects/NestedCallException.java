package io.ensemble.objects;

/**
 * A method of an atomic object calls another one (or its own proxy). It may run in any process,
 * more than once, for a call that another process made: so it may change its own state only. A
 * caller's mistake; nothing was sent.
 */
public final class NestedCallException extends IllegalStateException {

  /** Says which method calls which. */
  public NestedCallException(String message) {
    super(message);
  }
}
