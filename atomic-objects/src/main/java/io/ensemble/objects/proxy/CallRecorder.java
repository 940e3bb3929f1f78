package io.ensemble.objects.proxy;

import io.ensemble.objects.NestedCallException;
import io.ensemble.objects.value.NotWritableException;
import java.lang.reflect.Array;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Records a call instead of making it, while a function of the application makes the call that is
 * to be sent without waiting. The recorder belongs to the thread of the function.
 */
final class CallRecorder {

  private static final ThreadLocal<@Nullable CallRecorder> CURRENT = new ThreadLocal<>();

  private int calls;
  private @Nullable RecordedCall recordedCall;
  private @Nullable Object given;

  private CallRecorder() {}

  /** The recorder of this thread, or null. */
  static @Nullable CallRecorder current() {
    return CURRENT.get();
  }

  static <T> RecordedCall of(T proxy, Function<? super T, ?> function) {
    if (current() != null) {
      throw new NotOneCall(
          "the function must make exactly one call; got another function inside of one", null);
    }
    CallRecorder recording = new CallRecorder();
    CURRENT.set(recording);
    try {
      return recording.checked(proxy, function.apply(proxy));
    } catch (NotWritableException | NestedCallException | NotOneCall e) {
      throw e;
    } catch (RuntimeException e) {
      throw new NotOneCall(
          "the function must make one call and return its result; the function threw", e);
    } finally {
      CURRENT.remove();
    }
  }

  /** Records a call, and returns a default value of the return type: zero, false or null. */
  @Nullable Object note(RecordedCall call, Class<?> returned) {
    calls++;
    if (calls > 1) {
      throw notOne(call.proxy());
    }
    recordedCall = call;
    given =
        returned.isPrimitive() && returned != void.class
            ? Array.get(Array.newInstance(returned, 1), 0)
            : null;
    return given;
  }

  private RecordedCall checked(Object proxy, @Nullable Object returned) {
    RecordedCall call = recordedCall;
    if (call == null || calls != 1 || call.proxy() != proxy) {
      throw notOne(proxy);
    }
    if (!Objects.equals(returned, given)) {
      throw new NotOneCall(
          "the function must return the result of the method; method="
              + call.method()
              + "; the method returned "
              + given
              + ", the function "
              + returned,
          null);
    }
    return call;
  }

  private NotOneCall notOne(Object proxy) {
    return new NotOneCall(
        "the function must make exactly one call, of " + proxy + "; got " + calls + " calls", null);
  }

  private static final class NotOneCall extends IllegalArgumentException {
    NotOneCall(String message, @Nullable Throwable cause) {
      super(message, cause);
    }
  }
}
