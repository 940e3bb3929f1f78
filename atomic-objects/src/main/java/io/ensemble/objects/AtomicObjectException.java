package io.ensemble.objects;

/**
 * Something about an atomic object itself, as opposed to what its methods throw. Each kind says
 * whether the call was made.
 */
public abstract sealed class AtomicObjectException extends RuntimeException {

  private final String object;

  private AtomicObjectException(String message, String object) {
    super(message + "; object=" + object);
    this.object = object;
  }

  /** The object's name. */
  public String object() {
    return object;
  }

  /** The call was not made, and will not be. It can be made again. */
  public static final class CallRefused extends AtomicObjectException {
    CallRefused(String why, String object) {
      super("not applied: " + why, object);
    }
  }

  /**
   * The call may have been made, or may yet be. Making it again may apply it twice; what became of
   * it shows in the object only.
   */
  public static final class CallUnknown extends AtomicObjectException {
    CallUnknown(String why, String object) {
      super("it is not known whether the call was applied: " + why, object);
    }
  }

  /** There is no such object, or no more. The call was not made. */
  public static final class NoSuchObject extends AtomicObjectException {
    NoSuchObject(String object) {
      super("there is no such object", object);
    }
  }

  /** The name is taken. */
  public static final class ObjectExists extends AtomicObjectException {
    ObjectExists(String object) {
      super("the name is taken", object);
    }
  }

  /** The object of that name is of another type. */
  public static final class OtherType extends AtomicObjectException {
    OtherType(String object, String wanted, String found) {
      super("the object is of type " + found + ", wanted " + wanted, object);
    }
  }

  /**
   * This process cannot read the object: its entry is damaged, of a later format, or its codec
   * fails on it. The call was not made. The object is quarantined here until it is opened again;
   * others that can read it go on.
   */
  public static final class ObjectUnreadable extends AtomicObjectException {
    ObjectUnreadable(String why, String object) {
      super("the object cannot be read here: " + why, object);
    }
  }

  /** The store does not answer, so that the object could not be opened, created or disposed of. */
  public static final class StoreUnavailable extends AtomicObjectException {
    StoreUnavailable(String object, Throwable cause) {
      super("the store does not answer: " + cause, object);
      initCause(cause);
    }
  }
}
