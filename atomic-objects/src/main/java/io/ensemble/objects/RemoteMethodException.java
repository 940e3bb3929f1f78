package io.ensemble.objects;

import org.jspecify.annotations.Nullable;

/**
 * What a method threw where it ran, which may have been another process: by name, since the class
 * need not be here. Thrown as such if the method does not declare the class and it is unknown here;
 * otherwise the cause of an exception of that class. The call was applied, and what the method
 * changed before it threw stays changed. Its own cause, if any, is the same of the cause there.
 */
public final class RemoteMethodException extends RuntimeException {

  private final String thrownClass;
  private final @Nullable String thrownMessage;

  /** Of a class name and a message as they were there, and of its cause there. */
  public RemoteMethodException(
      String thrownClass, @Nullable String thrownMessage, @Nullable RemoteMethodException cause) {
    super(
        "the method threw " + thrownClass + (thrownMessage == null ? "" : ": " + thrownMessage),
        cause);
    this.thrownClass = thrownClass;
    this.thrownMessage = thrownMessage;
  }

  /** The full name of the class that was thrown. */
  public String thrownClass() {
    return thrownClass;
  }

  /** Its message, or null if it had none. */
  public @Nullable String thrownMessage() {
    return thrownMessage;
  }
}
