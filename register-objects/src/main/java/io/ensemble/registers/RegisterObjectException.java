package io.ensemble.registers;

import org.jspecify.annotations.Nullable;

/** An operation on an object failed. The kind says whether the operation was applied. */
public abstract sealed class RegisterObjectException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final String object;

  private RegisterObjectException(String message, String object, @Nullable Throwable cause) {
    super(message + "; object=" + object, cause);
    this.object = object;
  }

  /** The name of the object. */
  public String object() {
    return object;
  }

  /**
   * The operation was certainly not applied, and will not be: the registers did not answer, or
   * other processes were in the way, until the deadline. Retrying is safe.
   */
  public static final class NotApplied extends RegisterObjectException {
    private static final long serialVersionUID = 1L;

    public NotApplied(String why, String object, @Nullable Throwable cause) {
      super("not applied: " + why, object, cause);
    }
  }

  /**
   * The operation may have been applied, or may be applied later. A retry may apply it twice; only
   * the state of the object shows the effect.
   */
  public static final class Unknown extends RegisterObjectException {
    private static final long serialVersionUID = 1L;

    public Unknown(String why, String object, @Nullable Throwable cause) {
      super("the outcome is unknown: " + why, object, cause);
    }
  }

  /**
   * The object has as many participants as it can have, which never become fewer. The operation was
   * not applied.
   */
  public static final class TooManyParticipants extends RegisterObjectException {
    private static final long serialVersionUID = 1L;

    public TooManyParticipants(String object, int longestWay) {
      super("not applied: no node within %d levels is free".formatted(longestWay), object, null);
    }
  }

  /** A register of the object has another form. The operation was not applied. */
  public static final class Unreadable extends RegisterObjectException {
    private static final long serialVersionUID = 1L;

    public Unreadable(String object, Throwable cause) {
      super("not applied: a register cannot be read: " + cause.getMessage(), object, cause);
    }
  }
}
