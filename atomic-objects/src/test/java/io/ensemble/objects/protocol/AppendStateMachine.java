package io.ensemble.objects.protocol;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.objects.machine.StateMachine;

/** A text to which each call appends itself; the outcome is the text then. "?" changes nothing. */
final class AppendStateMachine implements StateMachine {

  @Override
  public Object load(byte[] state) {
    return new StringBuilder(new String(state, UTF_8));
  }

  @Override
  public byte[] store(Object state) {
    return state.toString().getBytes(UTF_8);
  }

  @Override
  public byte[] apply(Object state, byte[] call) {
    String word = new String(call, UTF_8);
    StringBuilder text = (StringBuilder) state;
    if (!word.equals("?")) {
      text.append(word).append(' ');
    }
    return text.toString().getBytes(UTF_8);
  }
}
