package io.ensemble.zoofence.queue.plan;

import io.ensemble.zoofence.queue.CommandOutcome;
import io.ensemble.zoofence.queue.InstanceResult;
import io.ensemble.zoofence.queue.QueueCommand;
import io.ensemble.zoofence.wire.Jute;
import io.ensemble.zoofence.wire.StatTranslator;
import io.ensemble.zoofence.wire.Zxids;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.apache.jute.Record;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.MultiResponse;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.data.Stat;
import org.apache.zookeeper.proto.Create2Response;
import org.apache.zookeeper.proto.CreateResponse;
import org.apache.zookeeper.proto.SetACLResponse;
import org.apache.zookeeper.proto.SetDataResponse;

/** Builds the outcome of a command for its client from the results of the instances. */
public final class OutcomeBuilder {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0).asReadOnlyBuffer();

  private OutcomeBuilder() {}

  /**
   * The outcome of a command that had no effect.
   *
   * @param results the results of the instances, the canonical one's first
   */
  public static CommandOutcome refused(QueueCommand command, Collection<InstanceResult> results) {
    return results.stream()
        .flatMap(
            result ->
                result instanceof InstanceResult.Refused refused
                    ? Stream.of(refused)
                    : Stream.empty())
        .findFirst()
        .map(refused -> refused(command, refused))
        // The reason is lost, but certainly the command had no effect.
        .orElse(failed(Code.OPERATIONTIMEOUT.intValue()));
  }

  private static CommandOutcome refused(QueueCommand command, InstanceResult.Refused refused) {
    if (command.type() != OpCode.multi || refused.error() == QueueCommand.AGAIN) {
      return failed(refused.error());
    }
    var body = new MultiResponse();
    refused.errors().forEach(error -> body.add(new OpResult.ErrorResult(error)));
    return new CommandOutcome(0, 0, Jute.write(body));
  }

  public static CommandOutcome failed(Code error) {
    return failed(error.intValue());
  }

  public static CommandOutcome failed(int error) {
    return new CommandOutcome(error, 0, NOTHING);
  }

  /**
   * The outcome of a command that took effect.
   *
   * @param canonical the instance that gives the transaction of the command
   * @param owners gives the owner of a path; 0 if the path has no owner
   * @param results the results of the client's own operations, each from the instance that decides
   *     it
   */
  static CommandOutcome done(
      QueueCommand command,
      CommandPlan plan,
      PlacedOperations placedOperations,
      int canonical,
      long zxid,
      ToLongFunction<String> owners,
      List<? extends OpResult> results) {
    List<Op> written = CommandPlan.written(command);
    var body = new MultiResponse();
    Record single = null;
    for (int i = 0; i < written.size(); i++) {
      Op operation = written.get(i);
      OpResult result = results.get(i);
      int instance = placedOperations.deciding(i);
      if (result instanceof OpResult.CreateResult created) {
        Stat stat = seen(created.getStat(), instance);
        Long owner = plan.owned().get(created.getPath());
        if (owner != null && StatTranslator.isSession(owner)) {
          stat.setEphemeralOwner(owner);
        }
        boolean plain = operation.getType() == OpCode.create && command.type() != OpCode.create2;
        single =
            plain
                ? new CreateResponse(created.getPath())
                : new Create2Response(created.getPath(), stat);
        body.add(
            plain
                ? new OpResult.CreateResult(created.getPath())
                : new OpResult.CreateResult(created.getPath(), stat));
      } else if (result instanceof OpResult.SetDataResult set) {
        Stat stat = seen(set.getStat(), instance);
        stat.setEphemeralOwner(owners.applyAsLong(operation.getPath()));
        single =
            command.type() == OpCode.setACL ? new SetACLResponse(stat) : new SetDataResponse(stat);
        body.add(new OpResult.SetDataResult(stat));
      } else {
        body.add(result);
      }
    }
    long seen = Zxids.seen(zxid, canonical);
    if (command.type() == OpCode.multi) {
      return new CommandOutcome(0, seen, Jute.write(body));
    }
    return new CommandOutcome(0, seen, single == null ? NOTHING : Jute.write(single));
  }

  private static Stat seen(Stat stat, int instance) {
    stat.setCzxid(Zxids.seen(stat.getCzxid(), instance));
    stat.setMzxid(Zxids.seen(stat.getMzxid(), instance));
    stat.setPzxid(Zxids.seen(stat.getPzxid(), instance));
    return stat;
  }
}
