package io.ensemble.catalog.definition;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class InMemoryDefinitionsTest extends CatalogContract {

  private final Definitions definitions = new InMemoryDefinitions();

  @Override
  public Definitions definitions() {
    return definitions;
  }

  @Test
  void eachObjectIsACatalogOfItsOwn() {
    assertThat(get(new InMemoryDefinitions().id())).isNotEqualTo(get(definitions.id()));
  }
}
