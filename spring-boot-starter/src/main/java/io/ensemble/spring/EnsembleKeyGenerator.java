package io.ensemble.spring;

import io.ensemble.codec.TypedContent;
import io.ensemble.site.Bytes;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.temporal.TemporalAccessor;
import java.util.Date;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.interceptor.KeyGenerator;

/**
 * Makes keys that Ensemble can encode. The key of one parameter is the parameter itself. The key of
 * none or several, of an enum constant and of a time is a {@link TypedContent}: each parameter as
 * its type, the length of its text, and its text. So different parameters have different keys.
 *
 * <p>Several parameters may be null, strings, boxed primitives, enum constants, UUIDs, big numbers,
 * dates and the types of {@code java.time}. Others are refused with {@link
 * IllegalArgumentException}: use a key expression there.
 */
public final class EnsembleKeyGenerator implements KeyGenerator {

  private static final String TYPE = "application/vnd.ensemble.spring-key";

  /** A generator. */
  public EnsembleKeyGenerator() {}

  @Override
  public Object generate(Object target, Method method, @Nullable Object... params) {
    if (params.length == 1) {
      Object only = params[0];
      if (only != null && !(only instanceof Enum) && !(only instanceof TemporalAccessor)) {
        return only;
      }
    }
    return keyOf(params);
  }

  /**
   * The key of {@code params}.
   *
   * @throws IllegalArgumentException if a parameter has another type than those above
   */
  static TypedContent keyOf(@Nullable Object... params) {
    StringBuilder text = new StringBuilder();
    for (Object param : params) {
      if (param == null) {
        text.append("null;");
        continue;
      }
      String value = textOf(param);
      text.append(typeOf(param)).append(':').append(value.length()).append(':').append(value);
    }
    return new TypedContent(TYPE, Bytes.of(utf16(text)));
  }

  /** Encodes by hand, because the charsets of the JDK replace unpaired surrogates. */
  private static byte[] utf16(CharSequence text) {
    byte[] bytes = new byte[2 * text.length()];
    for (int i = 0; i < text.length(); i++) {
      bytes[2 * i] = (byte) (text.charAt(i) >> 8);
      bytes[2 * i + 1] = (byte) text.charAt(i);
    }
    return bytes;
  }

  private static String typeOf(Object param) {
    return param instanceof Enum<?> constant
        ? constant.getDeclaringClass().getName()
        : param.getClass().getName();
  }

  private static String textOf(Object param) {
    if (param instanceof Enum<?> constant) {
      return constant.name();
    }
    if (param instanceof Date date) {
      return Long.toString(date.getTime());
    }
    boolean isKnown =
        param instanceof String
            || param instanceof Integer
            || param instanceof Long
            || param instanceof Short
            || param instanceof Byte
            || param instanceof Boolean
            || param instanceof Character
            || param instanceof Double
            || param instanceof Float
            || param instanceof UUID
            || param instanceof BigDecimal
            || param instanceof BigInteger
            || (param instanceof TemporalAccessor
                && param.getClass().getName().startsWith("java.time."));
    if (!isKnown) {
      throw new IllegalArgumentException(
          "a key of several parameters must be of strings, numbers, enum constants, UUIDs and"
              + " times; use a key expression; type="
              + param.getClass().getName());
    }
    return param.toString();
  }
}
