package io.ensemble.zoofence.session.routing;

import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.wire.ZooKeeperReply;
import org.apache.zookeeper.KeeperException.Code;

/** The route of a request. */
public sealed interface ZnodeRoute {
  RequestLane lane();

  /** One instance answers the request, which changes nothing. */
  record Read(int instance) implements ZnodeRoute {
    @Override
    public RequestLane lane() {
      return new RequestLane.At(instance);
    }
  }

  /** A single instance holds the znodes that the request changes. */
  record Write(int instance) implements ZnodeRoute {
    @Override
    public RequestLane lane() {
      return new RequestLane.At(instance);
    }
  }

  /** A write to a single instance that cannot be sent in a transaction with the guard. */
  record Unguarded(int instance) implements ZnodeRoute {
    @Override
    public RequestLane lane() {
      return RequestLane.ALONE;
    }
  }

  /** Several instances hold the znodes that the request changes. */
  record Command(InstanceSet set) implements ZnodeRoute {
    @Override
    public RequestLane lane() {
      return new RequestLane.Queue(set);
    }
  }

  /**
   * A request that waits until all commands now in the queue of several instances have been
   * executed.
   */
  record Sync(InstanceSet set) implements ZnodeRoute {
    @Override
    public RequestLane lane() {
      return new RequestLane.Queue(set);
    }
  }

  /** The responses of several instances make the reply. */
  record Gather() implements ZnodeRoute {
    @Override
    public RequestLane lane() {
      return RequestLane.ALONE;
    }
  }

  /** The reply is already decided. */
  record Answered(ZooKeeperReply reply) implements ZnodeRoute {
    @Override
    public RequestLane lane() {
      return RequestLane.ALONE;
    }
  }

  /** The request fails regardless of the instances' content. */
  record Refused(Code error) implements ZnodeRoute {
    @Override
    public RequestLane lane() {
      return RequestLane.ALONE;
    }
  }

  /**
   * ZooKeeper has no such request: as a server does, the session answers with an error and closes
   * the connection.
   */
  record Unknown() implements ZnodeRoute {
    @Override
    public RequestLane lane() {
      return RequestLane.ALONE;
    }
  }
}
