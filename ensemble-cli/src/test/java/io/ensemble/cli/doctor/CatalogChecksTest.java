package io.ensemble.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.catalog.definition.Definitions;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CatalogChecksTest {

  /** Records the names of the methods that were called. */
  private static Definitions recording(Definitions catalog, List<String> called) {
    InvocationHandler handler =
        (proxy, method, arguments) -> {
          called.add(method.getName());
          return method.invoke(catalog, arguments);
        };
    return (Definitions)
        Proxy.newProxyInstance(
            Definitions.class.getClassLoader(), new Class<?>[] {Definitions.class}, handler);
  }

  @Test
  void theIdOfAnEmptyCatalogIsNotReadAsThatWouldCreateIt() {
    List<String> called = new ArrayList<>();

    CatalogChecks.Content content =
        CatalogChecks.content(recording(new InMemoryDefinitions(), called), "zk://h:1/typo");

    assertThat(content.isEmpty()).isTrue();
    assertThat(called).contains("inventory", "sites").doesNotContain("id");
  }
}
