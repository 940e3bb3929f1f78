package io.ensemble.catalog;

class InMemoryDefinitionsTest extends DefinitionsTest {

  private final Definitions definitions = new InMemoryDefinitions();

  @Override
  Definitions definitions() {
    return definitions;
  }
}
