package io.ensemble.objects;

/**
 * A failure of an atomic object itself, as opposed to an exception of its methods. Each kind says
 * whether the call was applied.
 */
public abstract sealed class AtomicObjectException extends RuntimeException {

  private final String object;

  private AtomicObjectException(String message, String object) {
    super(message + "; object=" + object);
    this.object = object;
  }

  /** The name of the object. */
  public String object() {
    return object;
  }

  /** The call was not applied, and will not be. Retrying is safe. */
  public static final class CallRefused extends AtomicObjectException {
    CallRefused(String why, String object) {
      super("not applied: " + why, object);
    }
  }

  /**
   * The call may have been applied, or may be applied later. A retry may apply it twice; only the
   * state of the object shows the effect.
   */
  public static final class CallUnknown extends AtomicObjectException {
    CallUnknown(String why, String object) {
      super("the outcome of the call is unknown: " + why, object);
    }
  }

  /** The object does not exist, or was disposed of. The call was not applied. */
  public static final class NoSuchObject extends AtomicObjectException {
    NoSuchObject(String object) {
      super("the object does not exist", object);
    }
  }

  /** An object of that name already exists. */
  public static final class ObjectExists extends AtomicObjectException {
    ObjectExists(String object) {
      super("an object with this name exists", object);
    }
  }

  /** The object of that name has another type. */
  public static final class OtherType extends AtomicObjectException {
    OtherType(String object, String wanted, String found) {
      super("the object is of type " + found + ", expected " + wanted, object);
    }
  }

  /**
   * This process cannot read the object: its entry is damaged, has a later format, or its codec
   * fails. The call was not applied. The object is quarantined in this process until it is opened
   * again; processes that can read it continue to use it.
   */
  public static final class ObjectUnreadable extends AtomicObjectException {
    ObjectUnreadable(String why, String object) {
      super("the object cannot be read by this process: " + why, object);
    }
  }

  /** The store does not respond, so the object could not be opened, created or disposed of. */
  public static final class StoreUnavailable extends AtomicObjectException {
    StoreUnavailable(String object, Throwable cause) {
      super("the store does not answer: " + cause, object);
      initCause(cause);
    }
  }
}
