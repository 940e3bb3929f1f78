package io.ensemble.registers.algorithm;

import io.ensemble.registers.algorithm.RegisterValue.Bytes;
import io.ensemble.registers.algorithm.RegisterValue.Participant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The operations of a process on objects from registers. */
public final class RegisterOperations {

  /** The result of an operation, and what the process keeps for the next one. */
  public record Invoked(@Nullable Object result, Participation me) {}

  private RegisterOperations() {}

  /**
   * Finds a node for a process that is new. Returns its {@link Participation}, or null if no node
   * within {@code longestWay} steps from the root is free.
   */
  public static Frame join(String object, Participant self, Bytes initial, int longestWay) {
    return new UniversalConstruction.Join(
        object, self, initial, longestWay, UniversalConstruction.Join.Step.BEGIN);
  }

  /** An operation. Returns {@link Invoked}. */
  public static Frame invoke(String object, Participation me, Operation operation) {
    return UniversalConstruction.invoke(object, me, operation);
  }

  /** Whether an operation that is not at its end has entered a consensus that it has not left. */
  public static boolean isInConsensus(Execution operation) {
    return operation.waiting().stream()
        .anyMatch(
            frame ->
                frame instanceof UniversalConstruction universal
                    && universal.line() == UniversalConstruction.Line.AGREED);
  }

  /**
   * (n,k)-set agreement that is x-obstruction-free.
   *
   * @param processes n
   * @param values k, from 1 to n-1
   * @param together x, from 1 to k
   */
  public record SetSize(int processes, int values, int together) {
    public SetSize {
      if (values < 1 || values >= processes) {
        throw new IllegalArgumentException(
            "k is at least 1 and less than n; got n=%d k=%d".formatted(processes, values));
      }
      if (together < 1 || together > values) {
        throw new IllegalArgumentException(
            "x is at least 1 and at most k; got k=%d x=%d".formatted(values, together));
      }
    }

    int registers() {
      return processes - values + together;
    }
  }

  /** Why a proposal to a set was not decided. */
  public sealed interface NoDecision {

    /** n other processes take part. */
    record TooMany() implements NoDecision {}

    /**
     * The other processes have made too many decisions since.
     *
     * @param instance a later instance, in which the process may go on
     * @param former the decisions directly before it
     */
    record TooLate(long instance, List<Bytes> former) implements NoDecision {}
  }

  /**
   * A proposal of a process that has made none in this object. Returns the {@link Bytes} that were
   * decided, or {@link NoDecision}.
   *
   * @param instance the number of the instance, 0 where there is one only
   * @param former the decisions of this process in the instances directly before
   */
  public static Frame proposeToSet(
      String object,
      SetSize size,
      Participant self,
      long instance,
      List<Bytes> former,
      Bytes proposed) {
    return SetAgreementObject.propose(
        size.processes(),
        SetAgreement.propose(
            object, size.registers(), size.together(), self, instance, former, proposed));
  }

  /** As {@link #proposeToSet}, of a process that got a decision in an earlier instance. */
  public static Frame proposeNextToSet(
      String object,
      SetSize size,
      Participant self,
      long instance,
      List<Bytes> former,
      Bytes proposed) {
    return SetAgreement.propose(
        object, size.registers(), size.together(), self, instance, former, proposed);
  }

  /** Gives a process's entry back. The process has no operation in progress, and begins none. */
  public static Frame leave(String object, String node) {
    return new UniversalConstruction.Leave(object, node, false);
  }
}
