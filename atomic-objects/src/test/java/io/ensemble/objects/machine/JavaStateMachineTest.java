package io.ensemble.objects.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.objects.ObjectType;
import io.ensemble.objects.value.NotWritableException;
import io.ensemble.objects.value.ReferenceResolver;
import io.ensemble.objects.value.StateCodec;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** States and calls as bytes, and the failures for bytes that are neither. */
class JavaStateMachineTest {

  static class Log implements Runnable {
    final List<String> lines = new ArrayList<>();
    Object any;

    int add(String line) {
      lines.add(line);
      return lines.size();
    }

    int add(int number) {
      return number;
    }

    String repeat(String text, int times) {
      return text.repeat(times);
    }

    Object thread() {
      return Thread.currentThread();
    }

    void keepThread() {
      any = Thread.currentThread();
    }

    Runnable asRunnable() {
      return this;
    }

    @Override
    public void run() {}
  }

  interface Narrow {
    Runnable asRunnable();
  }

  static class Wide implements Narrow, Runnable {
    @Override
    public Runnable asRunnable() {
      return this;
    }

    @Override
    public void run() {}
  }

  private final ObjectType<Log> type = ObjectType.of(Log.class);
  private final JavaStateMachine<Log> machine =
      new JavaStateMachine<>(type, ReferenceResolver.NONE);

  @Test
  void aStateGoesThroughBytes() {
    Log log = new Log();
    log.add("a");

    Log read = (Log) machine.load(machine.store(log));

    assertThat(read).isNotSameAs(log);
    assertThat(read.lines).containsExactly("a");
  }

  @Test
  void aCallGoesThroughBytes() throws Throwable {
    Log log = new Log();

    assertThat(call(machine, log, "add(Ljava/lang/String;)", "a")).isEqualTo(1);
    assertThat(call(machine, log, "add(I)", 17)).isEqualTo(17);
    assertThat(call(machine, log, "asRunnable()")).isEqualTo("the proxy");
    assertThat(log.lines).containsExactly("a");
  }

  @Test
  void aLongArgumentGoesThroughBytes() throws Throwable {
    for (int length : new int[] {0, 126, 127, 128, 16_383, 16_384, 100_000}) {
      Log log = new Log();
      String line = "x".repeat(length);

      assertThat(call(machine, log, "add(Ljava/lang/String;)", line)).isEqualTo(1);
      assertThat(log.lines).containsExactly(line);
    }
  }

  @Test
  void aMethodThatIsNotHereMakesACallUnreadable() {
    Log log = new Log();

    unreadable(log, new JavaCall("remove(I)", new Object[] {1}), "got remove(I)");
    unreadable(log, new JavaCall("toString()", new Object[] {}), "got toString()");
    unreadable(log, new JavaCall("add(I)", new Object[] {"text"}), "does not match");
    unreadable(log, new JavaCall("add(I)", new Object[] {null}), "does not match");
    unreadable(log, new JavaCall("add(I)", new Object[] {1, 2}), "does not match");
    assertThat(log.lines).isEmpty();
  }

  private void unreadable(Log log, JavaCall call, String message) {
    assertThatThrownBy(() -> machine.apply(log, call.write(machine.values())))
        .isInstanceOf(UnreadableException.class)
        .hasMessageContaining(message);
  }

  @Test
  void damagedBytesAreUnreadable() {
    Log log = new Log();
    byte[] call = machine.call(machine.named("add(Ljava/lang/String;)"), "some line");

    for (int length = 0; length < call.length; length++) {
      byte[] cut = Arrays.copyOf(call, length);
      assertThatThrownBy(() -> machine.apply(log, cut)).isInstanceOf(UnreadableException.class);
    }
    byte[] later = call.clone();
    later[0] = 9;
    assertThatThrownBy(() -> machine.apply(log, later)).hasMessageContaining("begin with 1; got 9");
    assertThat(log.lines).isEmpty();
  }

  @Test
  void damagedOutcomesAreUnreadable() {
    ObjectMethod add = machine.named("add(Ljava/lang/String;)");
    byte[] outcome = machine.apply(new Log(), machine.call(add, "a"));

    for (int length = 0; length < outcome.length; length++) {
      byte[] cut = Arrays.copyOf(outcome, length);
      assertThatThrownBy(() -> machine.result(add, cut, ""))
          .isInstanceOf(UnreadableException.class);
    }
    byte[] later = outcome.clone();
    later[0] = 9;
    assertThatThrownBy(() -> machine.result(add, later, ""))
        .isInstanceOf(UnreadableException.class)
        .hasMessageContaining("got kind 9");
  }

  @Test
  void aLongResultIsNotApplied() throws Throwable {
    JavaStateMachine<Log> small = new JavaStateMachine<>(type, ReferenceResolver.NONE, 100);
    String method = "repeat(Ljava/lang/String;I)";

    assertThat(call(small, new Log(), method, "x", 50)).isEqualTo("x".repeat(50));
    assertThatThrownBy(() -> call(small, new Log(), method, "x", 100))
        .isInstanceOf(NotAppliedException.class)
        .hasMessageMatching(".*repeat.* has 10\\d bytes; at most 100 are supported");
  }

  @Test
  void aResultThatCannotBeWrittenIsNotApplied() {
    assertThatThrownBy(() -> call(machine, new Log(), "thread()"))
        .isInstanceOf(NotAppliedException.class)
        .hasMessageContaining("the result of ")
        .hasCauseInstanceOf(NotWritableException.class);
  }

  @Test
  void aStateThatCannotBeWrittenIsNotApplied() throws Throwable {
    Log log = new Log();
    call(machine, log, "keepThread()");

    assertThatThrownBy(() -> machine.store(log))
        .isInstanceOf(NotAppliedException.class)
        .hasCauseInstanceOf(NotWritableException.class);
  }

  @Test
  void anObjectThatReturnsItselfAsWhatItsFaceIsNotIsNotApplied() {
    JavaStateMachine<Narrow> narrow =
        new JavaStateMachine<>(ObjectType.of(Narrow.class, Wide::new), ReferenceResolver.NONE);

    assertThatThrownBy(() -> call(narrow, new Wide(), "asRunnable()"))
        .isInstanceOf(NotAppliedException.class)
        .hasMessageContaining("java.lang.Runnable, which is not its interface");
  }

  @Test
  void equalStatesHaveOneFingerprint() {
    Log one = new Log();
    Log other = new Log();
    one.add("a");
    other.add("a");

    assertThat(machine.fingerprint(one)).isEqualTo(machine.fingerprint(other));
    other.add("b");
    assertThat(machine.fingerprint(one)).isNotEqualTo(machine.fingerprint(other));
  }

  @Test
  void bytesThatAreNoStateAreUnreadable() {
    assertThatThrownBy(() -> machine.load(new byte[] {1, 2, 3}))
        .isInstanceOf(UnreadableException.class);
  }

  /** A user's codec: lines of text. */
  private static final class Lines implements StateCodec<Log> {
    @Override
    public byte[] write(Log state) {
      if (state.lines.contains("bad")) {
        throw new IllegalStateException("bad line");
      }
      return String.join("\n", state.lines).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public Log read(byte[] bytes) {
      String text = new String(bytes, StandardCharsets.UTF_8);
      if (text.equals("bad")) {
        throw new StackOverflowError("deep");
      }
      if (text.equals("null")) {
        return null;
      }
      Log log = new Log();
      log.lines.addAll(List.of(text.split("\n")));
      return log;
    }
  }

  @Test
  void aUsersCodecWritesTheState() {
    JavaStateMachine<Log> lines =
        new JavaStateMachine<>(type.codec(new Lines()), ReferenceResolver.NONE);
    Log log = new Log();
    log.add("a");
    log.add("b");

    assertThat(lines.store(log)).isEqualTo("a\nb".getBytes(StandardCharsets.UTF_8));
    assertThat(((Log) lines.load(lines.store(log))).lines).containsExactly("a", "b");
    assertThat(lines.fingerprint(log)).isEqualTo(StateFingerprint.of(lines.store(log)));
  }

  @Test
  void aUsersCodecMayFail() {
    JavaStateMachine<Log> lines =
        new JavaStateMachine<>(type.codec(new Lines()), ReferenceResolver.NONE);
    Log log = new Log();
    log.add("bad");

    assertThatThrownBy(() -> lines.store(log))
        .isInstanceOf(NotAppliedException.class)
        .hasRootCauseMessage("bad line");
    assertThatThrownBy(() -> lines.load("bad".getBytes(StandardCharsets.UTF_8)))
        .isInstanceOf(UnreadableException.class)
        .hasCauseInstanceOf(StackOverflowError.class);
    assertThatThrownBy(() -> lines.load("null".getBytes(StandardCharsets.UTF_8)))
        .isInstanceOf(UnreadableException.class)
        .hasMessageContaining("its codec returned null");
  }

  private static Object call(
      JavaStateMachine<?> machine, Object state, String id, Object... arguments) throws Throwable {
    ObjectMethod method = machine.named(id);
    byte[] outcome = machine.apply(state, machine.call(method, arguments));
    return machine.result(method, outcome, "the proxy");
  }
}
