package io.ensemble.registers.algorithm;

import org.jspecify.annotations.Nullable;

/**
 * An object in one of the rounds in which it is used (LEADS D2.6, appendix E, section 4.2). What
 * earlier rounds have left in a register counts as nothing. What a later round has written is
 * returned: the object was decided since.
 *
 * @param object the name of the object, which its registers begin with
 */
record Round(String object, long number) {

  /** A register of the object. */
  String register(String name) {
    return object + "/" + name;
  }

  /** A lower object that the object uses, in the same round. */
  Round part(String name) {
    return new Round(register(name), number);
  }

  /** The value of a register in this round; null is the initial one. */
  @Nullable RegisterValue view(@Nullable Object answer) {
    return answer instanceof RegisterCell cell && cell.round() >= number ? cell.value() : null;
  }

  Move read(String name, Frame then) {
    return new Move.Read(register(name), then);
  }

  Move write(String name, RegisterValue value, Frame then) {
    return new Move.Write(register(name), new RegisterCell(number, value), then);
  }
}
