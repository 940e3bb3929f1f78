package io.ensemble.check.workload;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.registers.RegisterObjectException;
import io.ensemble.registers.RepeatedSetAgreement;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A client of set agreement. Its call {@code propose} has its value as argument, and returns the
 * number of the instance and the value that was decided for it. Clients that are one too many for a
 * sequence of instances, because killed ones keep their places, go on with the next sequence.
 */
final class SetAgreementUse implements ObjectUse {
  private static final long LAST_VALUE = -1;
  private static final int LAST_ATTEMPTS = 5;
  private static final int MOST_SEQUENCES = 1_000;
  private static final long INSTANCES_OF_A_SEQUENCE = 1_000_000;

  private final IntFunction<RepeatedSetAgreement> sequences;
  private int sequence;
  private RepeatedSetAgreement agreement;

  /**
   * @param sequences opens the sequence of that number
   */
  SetAgreementUse(IntFunction<RepeatedSetAgreement> sequences) {
    this.sequences = sequences;
    this.agreement = sequences.apply(0);
  }

  @Override
  public ObjectCall next(SplittableRandom random, long fresh) {
    return ObjectCall.of("propose", fresh, () -> RegisterKind.resultOf(() -> propose(fresh)));
  }

  private List<Long> propose(long value) {
    while (true) {
      try {
        byte[] decided = agreement.propose(Long.toString(value).getBytes(UTF_8));
        return List.of(
            sequence * INSTANCES_OF_A_SEQUENCE + agreement.instance(),
            Long.valueOf(new String(decided, UTF_8)));
      } catch (RegisterObjectException.TooManyParticipants e) { // Nothing was proposed.
        if (sequence == MOST_SEQUENCES) {
          throw e;
        }
        sequence++;
        agreement = sequences.apply(sequence);
      }
    }
  }

  /** A client that begins late is refused once in a sequence, since it has missed instances. */
  @Override
  public ObjectCall last() {
    return ObjectCall.of("propose", LAST_VALUE, this::proposeLast);
  }

  private @Nullable Object proposeLast() {
    Object result = ObjectCall.MissingAnswer.REFUSED;
    for (int i = 0; i < LAST_ATTEMPTS && result == ObjectCall.MissingAnswer.REFUSED; i++) {
      result = RegisterKind.resultOf(() -> propose(LAST_VALUE));
    }
    return result;
  }
}
