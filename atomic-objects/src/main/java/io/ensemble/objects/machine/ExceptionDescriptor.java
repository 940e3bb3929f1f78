package io.ensemble.objects.machine;

import io.ensemble.objects.RemoteMethodException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An exception that a method threw, described by names: its class and the superclasses, nearest
 * first, its message and its causes.
 */
record ExceptionDescriptor(List<String> types, @Nullable String message, List<Cause> causes) {

  /** A cause of the exception. */
  record Cause(String type, @Nullable String message) {}

  /** The maximum number of recorded causes. */
  static final int CAUSES = 5;

  /** The maximum number of recorded characters of each message. */
  static final int MESSAGE_CHARS = 16 * 1024;

  static ExceptionDescriptor of(Throwable thrown) {
    List<String> types = new ArrayList<>();
    for (Class<?> c = thrown.getClass(); c != Throwable.class; c = c.getSuperclass()) {
      types.add(c.getName());
    }
    List<Cause> causes = new ArrayList<>();
    Throwable cause = cause(thrown);
    while (cause != null && causes.size() < CAUSES) {
      causes.add(new Cause(cause.getClass().getName(), message(cause)));
      cause = cause(cause);
    }
    return new ExceptionDescriptor(types, message(thrown), causes);
  }

  /** The same as an exception, for a caller that cannot load the class or does not need it. */
  RemoteMethodException remote() {
    RemoteMethodException below = null;
    for (int i = causes.size() - 1; i >= 0; i--) {
      below = new RemoteMethodException(causes.get(i).type(), causes.get(i).message(), below);
    }
    return new RemoteMethodException(types.get(0), message, below);
  }

  List<byte @Nullable []> parts() {
    List<byte @Nullable []> parts = new ArrayList<>();
    parts.add(ByteStringList.bytes(String.join("\n", types)));
    parts.add(ByteStringList.bytes(message));
    for (Cause cause : causes) {
      parts.add(ByteStringList.bytes(cause.type()));
      parts.add(ByteStringList.bytes(cause.message()));
    }
    return parts;
  }

  static ExceptionDescriptor of(List<byte @Nullable []> parts) {
    if (parts.size() < 2 || parts.size() % 2 != 0) {
      throw new UnreadableException(
          "an exception must be encoded as pairs of class and message; got "
              + "parts="
              + parts.size(),
          null);
    }
    List<Cause> causes = new ArrayList<>();
    for (int i = 2; i < parts.size(); i += 2) {
      causes.add(new Cause(type(parts.get(i)), ByteStringList.text(parts.get(i + 1))));
    }
    List<String> types = Arrays.asList(type(parts.get(0)).split("\n", -1));
    return new ExceptionDescriptor(types, ByteStringList.text(parts.get(1)), causes);
  }

  private static String type(byte @Nullable [] name) {
    String type = ByteStringList.text(name);
    if (type == null) {
      throw new UnreadableException("the class name of an exception is missing", null);
    }
    return type;
  }

  private static @Nullable String message(Throwable thrown) {
    try {
      String message = thrown.getMessage();
      return message == null || message.length() <= MESSAGE_CHARS
          ? message
          : message.substring(0, MESSAGE_CHARS);
    } catch (RuntimeException e) {
      return null; // getMessage is a method of the application; only the class is recorded
    }
  }

  private static @Nullable Throwable cause(Throwable thrown) {
    try {
      return thrown.getCause();
    } catch (RuntimeException e) {
      return null; // as for the message
    }
  }
}
