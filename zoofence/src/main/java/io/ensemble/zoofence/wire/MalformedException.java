package io.ensemble.zoofence.wire;

import org.jspecify.annotations.Nullable;

/** Bytes that violate ZooKeeper's protocol. */
public final class MalformedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  MalformedException(String wanted, @Nullable Throwable cause) {
    super("malformed bytes; expected: " + wanted, cause);
  }
}
