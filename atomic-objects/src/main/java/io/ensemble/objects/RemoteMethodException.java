package io.ensemble.objects;

import org.jspecify.annotations.Nullable;

/**
 * An exception that a method threw where it ran, which may be another process. It is described by
 * name, since its class may be missing in this process. Thrown itself if the method does not
 * declare the class and the class is unknown here; otherwise it is the cause of an exception of
 * that class. The call was applied, and changes that the method made before it threw remain. The
 * cause of this exception, if any, describes the original cause.
 */
public final class RemoteMethodException extends RuntimeException {

  private final String thrownClass;
  private final @Nullable String thrownMessage;

  /** The class name, message and cause, as in the process that applied the call. */
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

  /** The original message, or null if there was none. */
  public @Nullable String thrownMessage() {
    return thrownMessage;
  }
}
