package io.ensemble.site;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ForwardingSiteTest {

  private final List<Method> called = new ArrayList<>();

  /** Returns nothing, and records which method was called. */
  private final Site wrapped =
      (Site)
          Proxy.newProxyInstance(
              Site.class.getClassLoader(),
              new Class<?>[] {Site.class},
              (proxy, method, arguments) -> {
                called.add(method);
                return method.getReturnType() == boolean.class ? false : null;
              });

  private final ForwardingSite forwarding = () -> wrapped;

  /** Otherwise a default that is added to {@link Site} would hide the wrapped site's. */
  @Test
  void everyMethodOfASiteIsForwarded() {
    assertThat(Site.class.getMethods())
        .allSatisfy(
            method -> {
              called.clear();

              method.invoke(forwarding, arguments(method));

              assertThat(called)
                  .singleElement()
                  .satisfies(
                      one -> {
                        assertThat(one.getName()).isEqualTo(method.getName());
                        assertThat(one.getParameterTypes()).isEqualTo(method.getParameterTypes());
                      });
            });
  }

  private static Object[] arguments(Method method) {
    Class<?>[] types = method.getParameterTypes();
    Object[] arguments = new Object[types.length];
    for (int i = 0; i < types.length; i++) {
      arguments[i] = types[i] == Set.class ? Set.of() : null;
    }
    return arguments;
  }
}
