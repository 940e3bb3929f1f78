package io.ensemble.objects;

import io.ensemble.objects.machine.JavaStateMachine;
import io.ensemble.objects.machine.UnreadableException;
import io.ensemble.objects.proxy.AtomicObjectProxy;
import io.ensemble.objects.proxy.Proxies;
import io.ensemble.objects.value.ObjectReference;
import io.ensemble.objects.value.ReferenceResolver;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/** The types known to a factory, by which references to objects are written and resolved. */
final class ObjectTypeRegistry implements ReferenceResolver {

  private final AtomicObjectFactory factory;
  private final Map<String, ObjectType<?>> byName = new ConcurrentHashMap<>();
  private final Map<ObjectType<?>, JavaStateMachine<?>> machines = new ConcurrentHashMap<>();
  private final Map<String, CompletionStage<ObjectHandle>> followed = new ConcurrentHashMap<>();

  ObjectTypeRegistry(AtomicObjectFactory factory) {
    this.factory = factory;
  }

  void register(ObjectType<?> type) {
    byName.put(type.name(), type);
  }

  @SuppressWarnings("unchecked") // a state machine is stored under its own type
  <T> JavaStateMachine<T> machine(ObjectType<T> type, int resultBytes) {
    register(type);
    return (JavaStateMachine<T>)
        machines.computeIfAbsent(type, t -> new JavaStateMachine<>(t, this, resultBytes));
  }

  @Override
  public Optional<ObjectReference> of(Object value) {
    return AtomicObjectProxy.reference(value);
  }

  /**
   * A proxy that opens the object at its first call: reading a state makes no request to the store.
   */
  @Override
  public Object open(ObjectReference reference, Class<?> declared) {
    ObjectType<?> type = byName.get(reference.type());
    if (type == null && reference.type().equals(declared.getName())) {
      type = ObjectType.of(declared);
    }
    if (type == null) {
      throw new UnreadableException(
          "the type of the referenced object is not registered with the factory; type="
              + reference.type()
              + " object="
              + reference.name(),
          null);
    }
    return proxy(reference.name(), factory.machine(type));
  }

  private <T> T proxy(String name, JavaStateMachine<T> machine) {
    String type = machine.type().name();
    return Proxies.of(machine, new LazyHandle(factory, name, type, () -> follow(name, machine)));
  }

  private CompletionStage<ObjectHandle> follow(String name, JavaStateMachine<?> machine) {
    CompletionStage<ObjectHandle> handle =
        followed.compute(
            name,
            (n, before) -> {
              if (before != null && isOfUse(before)) {
                return before;
              }
              if (before != null) {
                before.thenAccept(factory::release); // disposed of; may be a new object
              }
              return factory.opened(name, machine, false);
            });
    return handle;
  }

  private static boolean isOfUse(CompletionStage<ObjectHandle> opening) {
    var future = opening.toCompletableFuture();
    return !future.isDone()
        || !future.isCompletedExceptionally() && !future.getNow(null).session().hasEnded();
  }
}
