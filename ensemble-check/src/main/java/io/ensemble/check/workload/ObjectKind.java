package io.ensemble.check.workload;

import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.ObjectType;
import io.ensemble.objects.sync.FencedLock;
import io.ensemble.objects.sync.Synchronizers;
import io.ensemble.tree.SharedTree;
import io.ensemble.tree.runtime.ObjectSequencer;
import java.time.Duration;
import java.util.Locale;
import java.util.function.Supplier;

/** The kinds of objects under test. */
public enum ObjectKind implements TrialSubject {
  /** A number with add, get and compare-and-set. */
  COUNTER {
    @Override
    Supplier<ObjectUse> open(AtomicObjectFactory factory, String name) {
      CheckedCounter counter = factory.openOrCreate(name, ObjectType.of(CheckedCounter.class));
      return () -> new CounterUse(counter);
    }
  },
  /** One value. */
  REGISTER {
    @Override
    Supplier<ObjectUse> open(AtomicObjectFactory factory, String name) {
      CheckedRegister register = factory.openOrCreate(name, ObjectType.of(CheckedRegister.class));
      return () -> new RegisterUse(register);
    }
  },
  /** Values, first in, first out. */
  QUEUE {
    @Override
    Supplier<ObjectUse> open(AtomicObjectFactory factory, String name) {
      CheckedQueue queue = factory.openOrCreate(name, ObjectType.of(CheckedQueue.class));
      return () -> new QueueUse(queue);
    }
  },
  /** Entries, and calls on all of them. */
  MAP {
    @Override
    Supplier<ObjectUse> open(AtomicObjectFactory factory, String name) {
      CheckedMap map = factory.openOrCreate(name, ObjectType.of(CheckedMap.class));
      return () -> new MapUse(map);
    }
  },
  /** Has one owner at a time, whose lease ends when its process has died. */
  LOCK {
    @Override
    Supplier<ObjectUse> open(AtomicObjectFactory factory, String name) {
      FencedLock lock = Synchronizers.on(factory).lease(LEASE).lock(name);
      return () -> new LockUse(lock);
    }
  },
  /** Nodes, and transactions over several of them. */
  TREE {
    @Override
    Supplier<ObjectUse> open(AtomicObjectFactory factory, String name) {
      SharedTree tree = TreeUse.open(factory, name);
      return () -> new TreeUse(tree);
    }

    @Override
    public String root(String name) {
      return ObjectSequencer.objectName(name);
    }
  };

  private static final Duration LEASE = Duration.ofSeconds(3);

  abstract Supplier<ObjectUse> open(AtomicObjectFactory factory, String name);

  @Override
  public OpenObjects on(AtomicObjectFactory factory) {
    return name -> open(factory, name);
  }

  @Override
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
