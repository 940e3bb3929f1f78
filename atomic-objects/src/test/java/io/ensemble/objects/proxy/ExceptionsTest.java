package io.ensemble.objects.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.ensemble.objects.ObjectType;
import io.ensemble.objects.RemoteMethodException;
import io.ensemble.objects.machine.NotAppliedException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.NoSuchElementException;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** How a caller sees the exceptions of a method. */
class ExceptionsTest {

  static class Declared extends Exception {
    Declared(String message, Throwable cause) {
      super(message, cause);
    }
  }

  static class MoreSpecial extends Declared {
    MoreSpecial(String message) {
      super(message, null);
    }
  }

  static class Unchecked extends IllegalStateException {
    Unchecked(String message) {
      super(message);
    }
  }

  static class Mute extends IOException {
    @Override
    public String getMessage() {
      throw new IllegalStateException("no message");
    }
  }

  static class WithCode extends Exception {
    WithCode(int code) {
      super("code " + code);
    }
  }

  interface Face {
    void declared() throws Declared;

    void special() throws Declared;

    void inOut() throws IOException;

    void mute() throws IOException;

    void withCode() throws WithCode;

    void java();

    void assertion();

    void unchecked();

    void sneaky();

    void deep();

    void looped();

    void halfway();

    int changes();

    void overflow();

    void outOfMemory();

    void noClass();
  }

  static class Throwing implements Face {
    private int changes;

    @Override
    public void declared() throws Declared {
      throw new Declared("why", new NoSuchElementException("below"));
    }

    @Override
    public void special() throws MoreSpecial {
      throw new MoreSpecial("very");
    }

    @Override
    public void inOut() throws IOException {
      throw new FileNotFoundException("gone");
    }

    @Override
    public void mute() throws IOException {
      throw new Mute();
    }

    @Override
    public void withCode() throws WithCode {
      throw new WithCode(3);
    }

    @Override
    public void java() {
      throw new NoSuchElementException("none");
    }

    @Override
    public void assertion() {
      throw new AssertionError("broken");
    }

    @Override
    public void unchecked() {
      throw new Unchecked("custom");
    }

    @Override
    public void sneaky() {
      throw Throwing.<RuntimeException>hidden(new TimeoutException("late"));
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <E extends Throwable> E hidden(Throwable thrown) throws E {
      throw (E) thrown;
    }

    @Override
    public void deep() {
      RuntimeException deep = new RuntimeException("0");
      for (int i = 1; i < 10; i++) {
        deep = new RuntimeException("" + i, deep);
      }
      throw deep;
    }

    @Override
    public void looped() {
      RuntimeException one = new RuntimeException("one");
      one.initCause(new RuntimeException("two", one));
      throw one;
    }

    @Override
    public void halfway() {
      changes++;
      throw new IllegalStateException("half done");
    }

    @Override
    public int changes() {
      return changes;
    }

    @Override
    @SuppressWarnings("InfiniteRecursion")
    public void overflow() {
      overflow();
    }

    @Override
    public void outOfMemory() {
      throw new OutOfMemoryError("full");
    }

    @Override
    public void noClass() {
      throw new NoClassDefFoundError("Gone");
    }
  }

  private final ObjectType<Face> type = ObjectType.of(Face.class, Throwing::new);
  private final Face face = new LocalObjects().open(type, "face");

  @Test
  void aDeclaredExceptionComesAsItself() {
    Throwable thrown = catchThrowable(face::declared);

    assertThat(thrown).isExactlyInstanceOf(Declared.class).hasMessage("why");
    assertThat(thrown.getCause()).isInstanceOf(RemoteMethodException.class);
    RemoteMethodException remote = (RemoteMethodException) thrown.getCause();
    assertThat(remote.thrownClass()).isEqualTo(Declared.class.getName());
    assertThat(remote.thrownMessage()).isEqualTo("why");
    assertThat(remote.getCause())
        .isInstanceOfSatisfying(
            RemoteMethodException.class,
            below ->
                assertThat(below.thrownClass()).isEqualTo(NoSuchElementException.class.getName()))
        .hasMessageContaining("below");
  }

  @Test
  void aSubclassComesAsItselfIfItIsKnownAndElseAsTheDeclaredOne() {
    Face knowing = new LocalObjects().open(type.with(MoreSpecial.class), "face");

    assertThatThrownBy(face::special)
        .isExactlyInstanceOf(Declared.class)
        .hasMessage("very")
        .cause()
        .hasMessageContaining(MoreSpecial.class.getName());
    assertThatThrownBy(knowing::special)
        .isExactlyInstanceOf(MoreSpecial.class)
        .hasMessage("very")
        .satisfies(
            thrown ->
                assertThat(thrown.getSuppressed())
                    .singleElement()
                    .isInstanceOf(RemoteMethodException.class));
  }

  @Test
  void javasOwnExceptionsNeedNoDeclaration() {
    assertThatThrownBy(face::inOut)
        .isExactlyInstanceOf(FileNotFoundException.class)
        .hasMessage("gone");
    assertThatThrownBy(face::java)
        .isExactlyInstanceOf(NoSuchElementException.class)
        .hasMessage("none")
        .hasCauseInstanceOf(RemoteMethodException.class);
    assertThatThrownBy(face::assertion)
        .isExactlyInstanceOf(AssertionError.class)
        .hasMessage("broken");
  }

  @Test
  void anUnknownOneComesByName() {
    Face knowing = new LocalObjects().open(type.with(Unchecked.class), "face");

    assertThatThrownBy(face::unchecked)
        .isExactlyInstanceOf(RemoteMethodException.class)
        .hasMessage("the method threw " + Unchecked.class.getName() + ": custom");
    assertThatThrownBy(knowing::unchecked).isExactlyInstanceOf(Unchecked.class);
  }

  @Test
  void aCheckedOneThatIsNotDeclaredComesByName() {
    assertThatThrownBy(face::sneaky)
        .isInstanceOfSatisfying(
            RemoteMethodException.class,
            thrown -> assertThat(thrown.thrownClass()).isEqualTo(TimeoutException.class.getName()));
  }

  @Test
  void oneThatCannotBeMadeComesByName() {
    assertThatThrownBy(face::withCode)
        .isExactlyInstanceOf(RemoteMethodException.class)
        .hasMessageContaining("code 3");
  }

  @Test
  void aMessageThatFailsIsNone() {
    assertThatThrownBy(face::mute)
        .isExactlyInstanceOf(IOException.class)
        .hasMessage(null)
        .cause()
        .hasMessage("the method threw " + Mute.class.getName());
  }

  @Test
  void fiveCausesAreTold() {
    assertThat(depth(catchThrowable(face::deep))).isEqualTo(1 + 5);
    assertThat(depth(catchThrowable(face::looped))).isEqualTo(1 + 5);
  }

  /** The number of causes. */
  private static int depth(Throwable thrown) {
    return thrown.getCause() == null ? 0 : 1 + depth(thrown.getCause());
  }

  @Test
  void whatWasChangedBeforeStays() {
    assertThatThrownBy(face::halfway).isInstanceOf(IllegalStateException.class);

    assertThat(face.changes()).isEqualTo(1);
  }

  @Test
  void anErrorIsNoOutcome() {
    notApplied(face::overflow, StackOverflowError.class);
    notApplied(face::outOfMemory, OutOfMemoryError.class);
    notApplied(face::noClass, NoClassDefFoundError.class);
  }

  private static void notApplied(Runnable call, Class<? extends Error> cause) {
    assertThatThrownBy(call::run)
        .isInstanceOf(NotAppliedException.class)
        .hasMessageContaining("failed with an error")
        .hasCauseInstanceOf(cause);
  }

  interface Careful {
    void both() throws IOException;
  }

  interface Careless {
    void both();
  }

  interface Mixed extends Careful, Careless {}

  static class Sneaky implements Mixed {
    @Override
    public void both() {
      throw Throwing.<RuntimeException>hidden(new IOException("from one"));
    }
  }

  @Test
  void whatNotEveryDeclarationHasComesByName() {
    Mixed mixed = new LocalObjects().open(ObjectType.of(Mixed.class, Sneaky::new), "mixed");

    assertThatThrownBy(mixed::both)
        .isExactlyInstanceOf(RemoteMethodException.class)
        .hasMessageContaining("from one");
  }
}
