package io.ensemble.registers.algorithm;

import io.ensemble.registers.algorithm.Collect.Entries;
import io.ensemble.registers.algorithm.RegisterOperations.NoDecision.TooMany;
import io.ensemble.registers.algorithm.RegisterValue.Flag;
import io.ensemble.registers.algorithm.RegisterValue.Retired;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A proposal in set agreement by a process that is not known beforehand. Returns what the agreement
 * returns, or {@link TooMany} if the process is one too many.
 *
 * <p>A process enters itself before it counts the entries, so of n+1 processes the last one to
 * enter itself counts n+1, and takes no part. Processes that enter themselves together at the bound
 * may both count too many, and both take no part.
 *
 * @param node the node of the process in the tree of those that came
 */
record SetAgreementObject(int processes, SetAgreement agreement, @Nullable String node, Line line)
    implements Frame {

  enum Line {
    BEGIN,
    NODE_FOUND,
    ENTERED,
    COUNTED,
    DECIDED,
    WITHDRAWN
  }

  static SetAgreementObject propose(int processes, SetAgreement agreement) {
    return new SetAgreementObject(processes, agreement, null, Line.BEGIN);
  }

  private SetAgreementObject at(Line next) {
    return new SetAgreementObject(processes, agreement, node, next);
  }

  private Round tree() {
    return new Round(agreement.object(), 0).part("participants");
  }

  private Round entries() {
    return new Round(agreement.object(), 0).part("entries");
  }

  private String entry() {
    return Collect.entry(Objects.requireNonNull(node));
  }

  @Override
  public Move resume(@Nullable Object answer) {
    return switch (line) {
      case BEGIN ->
          new Move.Call(
              ParticipantTree.enter(tree(), agreement.self(), LONGEST_WAY), at(Line.NODE_FOUND));
      case NODE_FOUND ->
          answer == null
              ? new Move.Return(new TooMany())
              : new SetAgreementObject(processes, agreement, (String) answer, Line.ENTERED).enter();
      case ENTERED ->
          new Move.Call(Collect.of(entries(), tree(), KnownNodes.NONE), at(Line.COUNTED));
      case COUNTED -> {
        Entries counted = (Entries) Objects.requireNonNull(answer);
        long present =
            counted.values().values().stream().filter(entry -> entry == Flag.RAISED).count();
        yield present > processes
            ? entries().write(entry(), Retired.RETIRED, at(Line.WITHDRAWN))
            : new Move.Call(agreement, at(Line.DECIDED));
      }
      case DECIDED -> new Move.Return(answer);
      case WITHDRAWN -> new Move.Return(new TooMany());
    };
  }

  /** More processes than this at once make others take no part although places are free. */
  private static final int LONGEST_WAY = 1_000;

  private Move enter() {
    return entries().write(entry(), Flag.RAISED, this);
  }
}
