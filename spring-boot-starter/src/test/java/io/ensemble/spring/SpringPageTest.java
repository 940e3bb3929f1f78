package io.ensemble.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What docs/spring.md says fits the code. */
class SpringPageTest {

  private final String page;

  SpringPageTest() throws IOException {
    page = Files.readString(Path.of("../docs/spring.md"));
  }

  private List<String> blocks(String language) {
    List<String> blocks = new ArrayList<>();
    Matcher matcher = Pattern.compile("(?s)```" + language + "\n(.*?)```").matcher(page);
    while (matcher.find()) {
      blocks.add(matcher.group(1));
    }
    return blocks;
  }

  @Test
  void thePageNamesEachPropertyOfTheMetadata() throws IOException {
    JsonNode properties;
    try (InputStream in =
        getClass().getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
      properties = new ObjectMapper().readTree(in).get("properties");
    }

    assertThat(properties).hasSizeGreaterThan(10);
    for (JsonNode property : properties) {
      String name = property.get("name").asText();
      assertThat(property.path("description").asText()).as(name).isNotEmpty();
      assertThat(page).contains("`" + name.replaceFirst("^ensemble.caching.defaults\\.", ""));
    }
  }

  @Test
  void thePageNamesEachPropertyOfASite() {
    assertNamed("", EnsembleProperties.Site.class);
    assertNamed("tls.", EnsembleProperties.Tls.class);
    assertNamed("limits.", EnsembleProperties.Limits.class);
  }

  private void assertNamed(String prefix, Class<?> record) {
    for (RecordComponent component : record.getRecordComponents()) {
      String name = component.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
      if (component.getType().isRecord()) {
        continue;
      }
      boolean isForm = name.matches(".*-store-password-(file|variable)");
      assertThat(page).contains("`" + prefix + (isForm ? name.replaceFirst("-[a-z]+$", "") : name));
    }
  }

  @Test
  void thePropertiesOfThePageAreAccepted() {
    List<String> blocks = blocks("properties");
    assertThat(blocks).hasSize(2);

    for (String block : blocks) {
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(EnsembleAutoConfiguration.class))
          .withUserConfiguration(EnsembleAutoConfigurationTest.OwnManager.class)
          .withPropertyValues(block.split("\n"))
          .run(
              context -> {
                assertThat(context).hasNotFailed();
                EnsembleProperties properties = context.getBean(EnsembleProperties.class);
                properties.sites().forEach(EnsembleBuilderFactory::siteConfiguration);
                assertThat(properties.caching().defaults().mode()).isNotNull();
              });
    }
  }

  @Test
  void theCodeOfThePageIsCompiled() throws IOException {
    String compiled =
        normalized(
            Files.readString(Path.of("src/test/java/io/ensemble/spring/SpringPageExamples.java")));
    List<String> blocks = blocks("java");
    assertThat(blocks).hasSize(2);

    for (String block : blocks) {
      // Without the final brace: a compiled class may have further members.
      String code = normalized(block).replaceFirst(" }$", "");
      assertThat(compiled).contains(code);
    }
  }

  private static String normalized(String code) {
    return code.replace("static class", "class").replaceAll("\\s+", " ").strip();
  }
}
