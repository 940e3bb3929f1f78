package io.ensemble.objects.value;

/**
 * The first byte of a value, which identifies the encoding that follows. Part of the format; a
 * number is never used again.
 */
final class TypeTag {

  static final int FORMAT = 1;

  static final int NULL = 0;

  /** The number of an earlier value of these bytes: a reference to the same object. */
  static final int BACK = 1;

  /** A shape (a class and the names of its fields), and the values of the fields. */
  static final int OBJECT = 2;

  static final int ENUM = 3;

  /** A message of a ProtoStream schema: type and bytes. */
  static final int MESSAGE = 4;

  static final int REFERENCE = 5;
  static final int ARRAY = 6;
  static final int OPTIONAL = 7;
  static final int ENTRY = 8;
  static final int FIXED_ENTRY = 9;
  static final int ENUM_MAP = 10;
  static final int ENUM_SET = 11;
  static final int ATOMIC_REFERENCE = 12;
  static final int ARRAY_LIST_OF_FIXED_SIZE = 13;

  /** From here: {@link LeafSerializer}, values that contain no other. */
  static final int LEAVES = 16;

  /** From here: {@link CollectionSerializer}, the collections. */
  static final int PILES = 96;

  /** From here: {@link MapSerializer}, the maps. */
  static final int TABLES = 128;

  static final int END = 160;

  private TypeTag() {}
}
