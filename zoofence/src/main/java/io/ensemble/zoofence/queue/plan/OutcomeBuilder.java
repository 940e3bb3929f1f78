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
  public static CommandOutcome buildRefusal(
      QueueCommand command, Collection<InstanceResult> results) {
    return results.stream()
        .flatMap(
            result ->
                result instanceof InstanceResult.Refused refused
                    ? Stream.of(refused)
                    : Stream.empty())
        .findFirst()
        .map(refused -> buildRefusal(command, refused))
        // The reason is lost, but certainly the command had no effect.
        .orElse(buildFailure(Code.OPERATIONTIMEOUT.intValue()));
  }

  private static CommandOutcome buildRefusal(QueueCommand command, InstanceResult.Refused refused) {
    if (command.type() != OpCode.multi || refused.error() == QueueCommand.AGAIN) {
      return buildFailure(refused.error());
    }
    var body = new MultiResponse();
    refused.errors().forEach(error -> body.add(new OpResult.ErrorResult(error)));
    return new CommandOutcome(0, 0, Jute.write(body));
  }

  public static CommandOutcome buildFailure(Code error) {
    return buildFailure(error.intValue());
  }

  public static CommandOutcome buildFailure(int error) {
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
  static CommandOutcome buildSuccess(
      QueueCommand command,
      CommandPlan plan,
      PlacedOperations placedOperations,
      int canonical,
      long zxid,
      ToLongFunction<String> owners,
      List<? extends OpResult> results) {
    List<Op> operations = CommandPlan.readOperations(command);
    var body = new MultiResponse();
    Record single = null;
    for (int i = 0; i < operations.size(); i++) {
      Op operation = operations.get(i);
      OpResult result = results.get(i);
      int instance = placedOperations.decidingInstance(i);
      if (result instanceof OpResult.CreateResult created) {
        Stat stat = translateStat(created.getStat(), instance);
        Long owner = plan.owned().get(created.getPath());
        if (owner != null && StatTranslator.isSession(owner)) {
          stat.setEphemeralOwner(owner);
        }
        boolean isPlain = operation.getType() == OpCode.create && command.type() != OpCode.create2;
        single =
            isPlain
                ? new CreateResponse(created.getPath())
                : new Create2Response(created.getPath(), stat);
        body.add(
            isPlain
                ? new OpResult.CreateResult(created.getPath())
                : new OpResult.CreateResult(created.getPath(), stat));
      } else if (result instanceof OpResult.SetDataResult set) {
        Stat stat = translateStat(set.getStat(), instance);
        stat.setEphemeralOwner(owners.applyAsLong(operation.getPath()));
        single =
            command.type() == OpCode.setACL ? new SetACLResponse(stat) : new SetDataResponse(stat);
        body.add(new OpResult.SetDataResult(stat));
      } else {
        body.add(result);
      }
    }
    long clientZxid = Zxids.seen(zxid, canonical);
    if (command.type() == OpCode.multi) {
      return new CommandOutcome(0, clientZxid, Jute.write(body));
    }
    return new CommandOutcome(0, clientZxid, single == null ? NOTHING : Jute.write(single));
  }

  private static Stat translateStat(Stat stat, int instance) {
    stat.setCzxid(Zxids.seen(stat.getCzxid(), instance));
    stat.setMzxid(Zxids.seen(stat.getMzxid(), instance));
    stat.setPzxid(Zxids.seen(stat.getPzxid(), instance));
    return stat;
  }
}
