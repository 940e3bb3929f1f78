package io.ensemble.check.workload;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.registers.ObjectStateCodec;
import io.ensemble.registers.RegisterObject;
import io.ensemble.registers.RegisterObjectException;
import io.ensemble.registers.RegisterObjects;
import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Objects from registers that are only read and written. */
public enum RegisterKind implements TrialSubject {
  /** A number with add, get and compare-and-set, by the universal construction. */
  REGISTER_COUNTER {
    @Override
    Supplier<ObjectUse> open(RegisterObjects objects, String name) {
      RegisterObject<Long> counter = objects.object(name, COUNT, 0L);
      return () -> new RegisterCounterUse(counter);
    }
  },
  /** Instances of set agreement, one after the other. Each client is a process of its own. */
  SET_AGREEMENT {
    @Override
    Supplier<ObjectUse> open(RegisterObjects objects, String name) {
      return () ->
          new SetAgreementUse(
              sequence ->
                  objects.repeatedSetAgreement(
                      name + "-" + sequence, AGREEMENT_PROCESSES, AGREEMENT_VALUES));
    }
  };

  /** The most clients of a sequence of instances. */
  static final int AGREEMENT_PROCESSES = 8;

  /** The most values that are decided in an instance. */
  public static final int AGREEMENT_VALUES = 2;

  private static final ObjectStateCodec<Long> COUNT =
      new ObjectStateCodec<>() {
        @Override
        public byte[] encode(Long count) {
          return count.toString().getBytes(UTF_8);
        }

        @Override
        public Long decode(byte[] bytes) {
          return Long.valueOf(new String(bytes, UTF_8));
        }
      };

  abstract Supplier<ObjectUse> open(RegisterObjects objects, String name);

  /** Prepares to open objects in a process. They are closed when the process ends its work. */
  public OpenObjects in(RegisterObjects objects) {
    return new OpenObjects() {
      @Override
      public Supplier<ObjectUse> open(String name) {
        return RegisterKind.this.open(objects, name);
      }

      @Override
      public void finish() {
        objects.close();
      }
    };
  }

  @Override
  public OpenObjects on(AtomicObjectFactory factory) {
    throw new IllegalStateException("no atomic object: " + word());
  }

  @Override
  public String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The result of a call, or how it ended without one. */
  static @Nullable Object resultOf(Supplier<? extends @Nullable Object> call) {
    try {
      return call.get();
    } catch (RegisterObjectException.Unknown e) {
      return ObjectCall.MissingAnswer.UNKNOWN;
    } catch (RegisterObjectException.NotApplied | RegisterObjectException.TooManyParticipants e) {
      return ObjectCall.MissingAnswer.REFUSED;
    }
  }
}
