package io.ensemble.objects.proxy;

import io.ensemble.objects.ObjectType;
import io.ensemble.objects.machine.JavaStateMachine;
import io.ensemble.objects.value.ObjectReference;
import io.ensemble.objects.value.ReferenceResolver;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Objects as bytes, in this process. */
final class LocalObjects implements ReferenceResolver {

  private final Map<String, Object> proxies = new HashMap<>();

  <T> T open(ObjectType<T> type, String name) {
    JavaStateMachine<T> machine = new JavaStateMachine<>(type, this);
    T proxy = Proxies.of(machine, new LocalCallTarget(this, machine, name));
    proxies.put(name, proxy);
    return proxy;
  }

  static LocalCallTarget local(Object proxy) {
    return (LocalCallTarget) ((AtomicObjectProxy) proxy).$ensembleCaller();
  }

  @Override
  public Optional<ObjectReference> of(Object value) {
    return AtomicObjectProxy.reference(value);
  }

  @Override
  public Object open(ObjectReference reference, Class<?> declared) {
    return proxies.get(reference.name());
  }
}
