package io.ensemble.objects.proxy;

import io.ensemble.objects.ObjectType;
import io.ensemble.objects.machine.JavaMachine;
import io.ensemble.objects.value.Reference;
import io.ensemble.objects.value.References;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Where objects live in these tests: as bytes, in this process. */
final class Place implements References {

  private final Map<String, Object> proxies = new HashMap<>();

  <T> T open(ObjectType<T> type, String name) {
    JavaMachine<T> machine = new JavaMachine<>(type, this);
    T proxy = Proxies.of(machine, new Local(this, machine, name));
    proxies.put(name, proxy);
    return proxy;
  }

  static Local local(Object proxy) {
    return (Local) ((Opened) proxy).$ensembleCaller();
  }

  @Override
  public Optional<Reference> of(Object value) {
    return Opened.reference(value);
  }

  @Override
  public Object open(Reference reference, Class<?> declared) {
    return proxies.get(reference.name());
  }
}
