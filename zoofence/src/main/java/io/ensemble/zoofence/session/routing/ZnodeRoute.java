package io.ensemble.zoofence.session.routing;

import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.wire.ZooKeeperReply;
import org.apache.zookeeper.KeeperException.Code;

/** The way that a request takes. */
public sealed interface ZnodeRoute {
  RequestLane lane();

  /** One instance answers it, and nothing changes. */
  record Read(int instance) implements ZnodeRoute {
    @Override
    public RequestLane lane() {
      return new RequestLane.At(instance);
    }
  }

  /** One instance alone holds what it changes. */
  record Write(int instance) implements ZnodeRoute {
    @Override
    public RequestLane lane() {
      return new RequestLane.At(instance);
    }
  }

  /** A write that the instance alone holds, and that cannot be tried together with its guard. */
  record Unguarded(int instance) implements ZnodeRoute {
    @Override
    public RequestLane lane() {
      return RequestLane.ALONE;
    }
  }

  /** Several instances hold what it changes. */
  record Command(InstanceSet set) implements ZnodeRoute {
    @Override
    public RequestLane lane() {
      return new RequestLane.Queue(set);
    }
  }

  /** Whatever stands in the queue of several instances is to be carried out before. */
  record Sync(InstanceSet set) implements ZnodeRoute {
    @Override
    public RequestLane lane() {
      return new RequestLane.Queue(set);
    }
  }

  /** The answers of several instances make the reply. */
  record Gather() implements ZnodeRoute {
    @Override
    public RequestLane lane() {
      return RequestLane.ALONE;
    }
  }

  /** It has been found out on the way what comes of it. */
  record Answered(ZooKeeperReply reply) implements ZnodeRoute {
    @Override
    public RequestLane lane() {
      return RequestLane.ALONE;
    }
  }

  /** It fails, whatever the instances hold. */
  record Refused(Code error) implements ZnodeRoute {
    @Override
    public RequestLane lane() {
      return RequestLane.ALONE;
    }
  }

  /** ZooKeeper has no such request: a server says so, and closes the connection. */
  record Unknown() implements ZnodeRoute {
    @Override
    public RequestLane lane() {
      return RequestLane.ALONE;
    }
  }
}
