package io.ensemble.spark;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.codec.TypedContent;
import io.ensemble.site.Bytes;
import io.ensemble.versioning.BinaryCodec;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.Function;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/** The types of keys and values that are one column. */
enum ColumnType {
  STRING(DataTypes.StringType, String.class, value -> value),
  BINARY(DataTypes.BinaryType, byte[].class, value -> value),
  INT(DataTypes.IntegerType, Integer.class, value -> value),
  LONG(DataTypes.LongType, Long.class, value -> value),
  DOUBLE(DataTypes.DoubleType, Double.class, value -> value),
  BOOLEAN(DataTypes.BooleanType, Boolean.class, value -> value),
  /** Text of JSON, written by Java as a string or over REST as content of a media type. */
  JSON(DataTypes.StringType, String.class, ColumnType::text);

  private final DataType dataType;
  private final Class<?> javaType;
  private final Function<Object, Object> column;

  ColumnType(DataType dataType, Class<?> javaType, Function<Object, Object> column) {
    this.dataType = dataType;
    this.javaType = javaType;
    this.column = column;
  }

  /**
   * The type of that name.
   *
   * @throws IllegalArgumentException if there is none
   */
  static ColumnType of(String option, String name) {
    try {
      return valueOf(name.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "option '%s' must be one of %s; got '%s'"
              .formatted(option, Arrays.toString(values()).toLowerCase(Locale.ROOT), name),
          e);
    }
  }

  /**
   * How keys and values of this type are stored in versioned caches.
   *
   * @throws IllegalArgumentException if versioned caches have no such type
   */
  @SuppressWarnings("unchecked") // Objects of another type are refused by the codec's functions.
  BinaryCodec<Object> codec() {
    return switch (this) {
      case STRING, JSON -> (BinaryCodec<Object>) (BinaryCodec<?>) BinaryCodec.TEXT;
      case BINARY -> (BinaryCodec<Object>) (BinaryCodec<?>) BinaryCodec.BYTES;
      default ->
          throw new IllegalArgumentException(
              "keys and values of versioned caches must be string, json or binary; got " + this);
    };
  }

  DataType dataType() {
    return dataType;
  }

  /**
   * The column of a key or a value of the cache.
   *
   * @throws IllegalStateException if it is of another type
   */
  Object toColumn(Object stored) {
    Object value = column.apply(stored);
    if (!javaType.isInstance(value)) {
      throw new IllegalStateException(
          "a key or value of the cache must be of the type that the options name; expected %s got %s"
              .formatted(this, stored.getClass().getName()));
    }
    return value;
  }

  private static Object text(Object stored) {
    if (stored instanceof TypedContent typed) {
      Bytes content = typed.content();
      return new String(content.array(), UTF_8);
    }
    return stored instanceof byte[] bytes ? new String(bytes, UTF_8) : stored;
  }
}
