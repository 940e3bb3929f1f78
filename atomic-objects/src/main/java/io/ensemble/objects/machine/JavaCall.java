package io.ensemble.objects.machine;

import io.ensemble.objects.value.NotWritableException;
import io.ensemble.objects.value.ValueCodec;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A call of a method by its {@link ObjectMethod#id}, with its arguments. In the encoded form each
 * argument is separate, so an object that is passed twice arrives as two objects.
 */
@SuppressWarnings("ArrayRecordComponent") // calls are never compared
record JavaCall(String method, @Nullable Object[] arguments) {

  /** The first byte, which also identifies the version of the format. */
  private static final byte KIND = 1;

  private static final String WHAT = "a call";

  /**
   * Encodes the call.
   *
   * @throws NotWritableException if an argument cannot be written
   */
  byte[] write(ValueCodec valueCodec) {
    List<byte @Nullable []> parts = new ArrayList<>();
    parts.add(ByteStringList.bytes(method));
    for (Object argument : arguments) {
      parts.add(argument == null ? null : valueCodec.write(argument));
    }
    return new ByteStringList(KIND, parts).write();
  }

  /**
   * Decodes a call.
   *
   * @throws UnreadableException if the bytes are not a call, or an argument cannot be read here
   */
  static JavaCall read(byte[] bytes, ValueCodec valueCodec) {
    ByteStringList read = ByteStringList.read(bytes, WHAT);
    List<byte @Nullable []> parts = read.parts();
    if (read.kind() != KIND || parts.isEmpty()) {
      throw new UnreadableException(
          "a call must begin with " + KIND + "; got " + read.kind(), null);
    }
    String method = ByteStringList.text(parts.get(0));
    if (method == null) {
      throw new UnreadableException("the method name of a call is missing", null);
    }
    @Nullable Object[] arguments = new Object[parts.size() - 1];
    for (int i = 0; i < arguments.length; i++) {
      byte[] part = parts.get(i + 1);
      arguments[i] =
          part == null
              ? null
              : SafeDecoder.value(valueCodec, part, "argument " + i + " of " + method);
    }
    return new JavaCall(method, arguments);
  }
}
