package io.ensemble.zoofence.session;

import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.wire.Reply;
import org.apache.zookeeper.KeeperException.Code;

/** The way that a request takes. */
sealed interface Route {
  Lane lane();

  /** One instance answers it, and nothing changes. */
  record Read(int instance) implements Route {
    @Override
    public Lane lane() {
      return new Lane.At(instance);
    }
  }

  /** One instance alone holds what it changes. */
  record Write(int instance) implements Route {
    @Override
    public Lane lane() {
      return new Lane.At(instance);
    }
  }

  /** A write that the instance alone holds, and that cannot be tried together with its guard. */
  record Unguarded(int instance) implements Route {
    @Override
    public Lane lane() {
      return Lane.ALONE;
    }
  }

  /** Several instances hold what it changes. */
  record Command(InstanceSet set) implements Route {
    @Override
    public Lane lane() {
      return new Lane.Queue(set);
    }
  }

  /** Whatever stands in the queue of several instances is to be carried out before. */
  record Sync(InstanceSet set) implements Route {
    @Override
    public Lane lane() {
      return new Lane.Queue(set);
    }
  }

  /** The answers of several instances make the reply. */
  record Gather() implements Route {
    @Override
    public Lane lane() {
      return Lane.ALONE;
    }
  }

  /** It has been found out on the way what comes of it. */
  record Answered(Reply reply) implements Route {
    @Override
    public Lane lane() {
      return Lane.ALONE;
    }
  }

  /** It fails, whatever the instances hold. */
  record Refused(Code error) implements Route {
    @Override
    public Lane lane() {
      return Lane.ALONE;
    }
  }

  /** ZooKeeper has no such request: a server says so, and closes the connection. */
  record Unknown() implements Route {
    @Override
    public Lane lane() {
      return Lane.ALONE;
    }
  }
}
