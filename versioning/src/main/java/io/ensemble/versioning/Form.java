package io.ensemble.versioning;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.objects.value.Values;
import java.util.Objects;
import java.util.function.Function;

/**
 * How keys or values are written. Equal keys are the same bytes.
 *
 * @param write thread-safe
 * @param read what it wrote, thread-safe
 */
public record Form<E>(Function<E, byte[]> write, Function<byte[], E> read) {

  /** Texts, in UTF-8. */
  public static final Form<String> TEXT =
      new Form<>(text -> text.getBytes(UTF_8), bytes -> new String(bytes, UTF_8));

  /** Bytes, as they are; copies. */
  public static final Form<byte[]> BYTES = new Form<>(byte[]::clone, byte[]::clone);

  /**
   * Objects of a class, field by field.
   *
   * @param values of a factory of atomic objects: {@code factory.values(type)}
   */
  public static <E> Form<E> of(Class<E> type, Values values) {
    return new Form<>(
        values::canonical, bytes -> type.cast(Objects.requireNonNull(values.read(bytes))));
  }
}
