package io.ensemble.zoofence.session;

import io.ensemble.zoofence.session.instance.MemberSessions;
import io.ensemble.zoofence.session.instance.OwnerLookup;
import io.ensemble.zoofence.session.routing.RoutingContext;
import io.ensemble.zoofence.wire.StatTranslator;
import io.ensemble.zoofence.wire.ZooKeeperReply;
import io.ensemble.zoofence.wire.ZooKeeperRequest;
import java.util.function.Consumer;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

/** Replaces the owner in an instance's reply by the client session that owns the znode. */
final class EphemeralOwners {
  private final MemberSessions memberSessions;
  private final RoutingContext routingContext;

  EphemeralOwners(MemberSessions memberSessions, RoutingContext routingContext) {
    this.memberSessions = memberSessions;
    this.routingContext = routingContext;
  }

  /**
   * Asks the instance for the owner of the znode, if the owner is not cached.
   *
   * @param record the owner by ZooFence's own records
   * @param then receives the reply as the client sees it. If the instance could not be asked, the
   *     reply is {@code CONNECTIONLOSS}, instead of a session that does not exist
   */
  void told(
      ZooKeeperRequest request,
      ZooKeeperReply reply,
      int instance,
      OwnerLookup record,
      Consumer<ZooKeeperReply> then) {
    Runnable tell =
        () ->
            then.accept(
                record
                    .of(reply)
                    .apply(
                        ReplyTranslator.translated(
                            request, reply, instance, owner -> known(instance, owner))));
    long owner =
        reply.succeeded() && StatTranslator.in(request.type()) ? StatTranslator.owner(reply) : 0;
    if (!StatTranslator.isSession(owner) || lookup(instance, owner) != null) {
      tell.run();
      return;
    }
    memberSessions
        .at(instance)
        .owner(
            owner,
            found -> {
              if (found == null) {
                then.accept(ZooKeeperReply.failed(Code.CONNECTIONLOSS));
              } else {
                routingContext.own(instance, owner, found);
                tell.run();
              }
            });
  }

  private long known(int instance, long owner) {
    Long found = StatTranslator.isSession(owner) ? lookup(instance, owner) : null;
    return found == null ? owner : found;
  }

  private @Nullable Long lookup(int instance, long owner) {
    return memberSessions.at(instance).link().identity().session() == owner
        ? Long.valueOf(memberSessions.session())
        : routingContext.owner(instance, owner);
  }
}
