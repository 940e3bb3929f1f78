package io.ensemble.zoofence.queue.replica;

import io.ensemble.zoofence.InstanceLocks;
import io.ensemble.zoofence.queue.DedupSlot;
import io.ensemble.zoofence.queue.InstanceResult;
import io.ensemble.zoofence.queue.QueueCommand;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.apache.zookeeper.Op;

/**
 * An instance as a commit across instances accesses it. A callback runs on the executor's thread.
 * It never runs if the instance is lost before the response: the slots then decide.
 */
public interface CommitParticipant {
  /**
   * Executes operations together with the records and the slot, in one transaction.
   *
   * @param operations the client's operations
   * @param records the operations that update the owner records, after the client's
   * @param slot the slot that the instance records
   */
  void apply(
      long number,
      QueueCommand command,
      List<Op> operations,
      List<Op> records,
      DedupSlot slot,
      Consumer<InstanceResult> callback);

  /** Finds the result of operations without executing them: one error for each, 0 for success. */
  void testOperations(QueueCommand command, List<Op> operations, Consumer<List<Integer>> callback);

  /**
   * Changes the locks as soon as {@code precondition} accepts the current ones: takes locks that
   * conflict with no other holder's, or releases those of a holder.
   *
   * @param extraOperations operations in the same transaction, if the locks change
   */
  void changeLocks(
      UnaryOperator<InstanceLocks> change,
      Predicate<InstanceLocks> precondition,
      List<Op> extraOperations,
      Runnable callback);
}
