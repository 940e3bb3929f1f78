package io.ensemble.registers.algorithm;

import io.ensemble.registers.algorithm.RegisterValue.Bytes;
import io.ensemble.registers.algorithm.RegisterValue.Participant;
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
   * A proposal of a process that has made none in this instance of (n,k)-set agreement. Returns the
   * {@link Bytes} that were decided, or null if n other processes have proposed.
   */
  public static Frame proposeToSet(
      String object, int processes, int values, Participant self, Bytes proposed) {
    return SetAgreementObject.propose(object, processes, values, self, proposed);
  }

  /** Gives a process's entry back. The process has no operation in progress, and begins none. */
  public static Frame leave(String object, String node) {
    return new UniversalConstruction.Leave(object, node, false);
  }
}
