package io.ensemble.zoofence.session;

import io.ensemble.zoofence.wire.Reply;
import io.ensemble.zoofence.wire.Request;
import io.ensemble.zoofence.wire.Stats;
import java.util.function.Consumer;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

/** Makes of an instance's reply one that names the session whose the znode is. */
final class Whose {
  private final Members members;
  private final Router router;

  Whose(Members members, Router router) {
    this.members = members;
    this.router = router;
  }

  /**
   * Asks the instance whose the znode is, where that is not known.
   *
   * @param record whose it is by our own records
   * @param then gets the reply as the client sees it; {@code CONNECTIONLOSS} if the instance could
   *     not be asked, rather than a session that there is not
   */
  void told(Request request, Reply reply, int instance, Owner record, Consumer<Reply> then) {
    Runnable tell =
        () ->
            then.accept(
                record
                    .of(reply)
                    .apply(
                        Replies.translated(
                            request, reply, instance, owner -> known(instance, owner))));
    long owner = reply.succeeded() && Stats.in(request.type()) ? Stats.owner(reply) : 0;
    if (!Stats.isSession(owner) || lookup(instance, owner) != null) {
      tell.run();
      return;
    }
    members
        .at(instance)
        .owner(
            owner,
            found -> {
              if (found == null) {
                then.accept(Reply.failed(Code.CONNECTIONLOSS));
              } else {
                router.own(instance, owner, found);
                tell.run();
              }
            });
  }

  private long known(int instance, long owner) {
    Long found = Stats.isSession(owner) ? lookup(instance, owner) : null;
    return found == null ? owner : found;
  }

  private @Nullable Long lookup(int instance, long owner) {
    return members.at(instance).link().identity().session() == owner
        ? Long.valueOf(members.session())
        : router.owner(instance, owner);
  }
}
