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
   * @param ownerLookup the owner by ZooFence's own records
   * @param callback receives the reply as the client sees it. If the instance could not be asked,
   *     the reply is {@code CONNECTIONLOSS}, instead of a session that does not exist
   */
  void replaceOwner(
      ZooKeeperRequest request,
      ZooKeeperReply reply,
      int instance,
      OwnerLookup ownerLookup,
      Consumer<ZooKeeperReply> callback) {
    Runnable delivery =
        () ->
            callback.accept(
                ownerLookup
                    .of(reply)
                    .apply(
                        ReplyTranslator.translateReply(
                            request, reply, instance, owner -> findOwner(instance, owner))));
    long owner =
        reply.succeeded() && StatTranslator.in(request.type()) ? StatTranslator.owner(reply) : 0;
    if (!StatTranslator.isSession(owner) || lookUpSession(instance, owner) != null) {
      delivery.run();
      return;
    }
    memberSessions
        .clientAt(instance)
        .readClientSession(
            owner,
            clientSession -> {
              if (clientSession == null) {
                callback.accept(ZooKeeperReply.failed(Code.CONNECTIONLOSS));
              } else {
                routingContext.recordOwner(instance, owner, clientSession);
                delivery.run();
              }
            });
  }

  private long findOwner(int instance, long owner) {
    Long clientSession = StatTranslator.isSession(owner) ? lookUpSession(instance, owner) : null;
    return clientSession == null ? owner : clientSession;
  }

  private @Nullable Long lookUpSession(int instance, long owner) {
    return memberSessions.clientAt(instance).link().identity().session() == owner
        ? Long.valueOf(memberSessions.session())
        : routingContext.findOwner(instance, owner);
  }
}
