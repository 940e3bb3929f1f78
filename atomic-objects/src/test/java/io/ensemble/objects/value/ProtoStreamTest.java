package io.ensemble.objects.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.objects.machine.UnreadableException;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.infinispan.protostream.FileDescriptorSource;
import org.infinispan.protostream.MessageMarshaller;
import org.infinispan.protostream.SerializationContext;
import org.infinispan.protostream.SerializationContextInitializer;
import org.junit.jupiter.api.Test;

/** A class of a ProtoStream schema is written by the schema. */
class ProtoStreamTest {

  private final ValueCodec valueCodec =
      ValueCodec.of(Set.of(), ReferenceResolver.NONE, new TownSchema());

  @Test
  void aMessageIsReadAsItWas() {
    Town oslo = new Town("Oslo", 700);

    List<?> read = (List<?>) valueCodec.read(valueCodec.write(List.of(oslo, oslo)));

    assertThat((Town) read.get(0)).usingRecursiveComparison().isEqualTo(oslo);
    assertThat(read.get(1)).isSameAs(read.get(0));
  }

  @Test
  void theSchemaGoesBeforeTheFields() {
    ValueCodec known = ValueCodec.of(Set.of(Town.class), ReferenceResolver.NONE, new TownSchema());

    byte[] bytes = known.write(new Town("Oslo", 700));

    assertThat(bytes).hasSizeLessThan(40).isEqualTo(valueCodec.write(new Town("Oslo", 700)));
    assertThat(valueCodec.fields(Town.class).read(bytes).name).isEqualTo("Oslo");
  }

  @Test
  void aMessageOfAnUnknownSchemaIsUnreadable() {
    byte[] bytes = valueCodec.write(new Town("Oslo", 700));

    assertThatThrownBy(() -> ValueCodec.of(Set.of(Town.class), ReferenceResolver.NONE).read(bytes))
        .isInstanceOf(UnreadableException.class)
        .hasMessageContaining("io.ensemble.test.Town");
  }

  @Test
  void aMarshallerThatFailsIsTold() {
    assertThatThrownBy(() -> valueCodec.write(new Object[] {new Town(null, 1)}))
        .isInstanceOf(NotWritableException.class)
        .hasMessageContaining("Object[][0]: its ProtoStream marshaller")
        .hasCauseInstanceOf(Exception.class);
  }

  /** Has no constructor without arguments, and needs none. */
  static final class Town {
    final String name;
    final int people;

    Town(String name, int people) {
      this.name = name;
      this.people = people;
    }
  }

  static final class TownSchema
      implements SerializationContextInitializer, MessageMarshaller<Town> {

    @Override
    public void registerSchema(SerializationContext context) {
      context.registerProtoFiles(
          FileDescriptorSource.fromString(
              "town.proto",
              """
              syntax = "proto2";
              package io.ensemble.test;
              message Town {
                required string name = 1;
                required int32 people = 2;
              }
              """));
    }

    @Override
    public void registerMarshallers(SerializationContext context) {
      context.registerMarshaller(this);
    }

    @Override
    public Town readFrom(ProtoStreamReader reader) throws IOException {
      return new Town(reader.readString("name"), reader.readInt("people"));
    }

    @Override
    public void writeTo(ProtoStreamWriter writer, Town town) throws IOException {
      writer.writeString("name", town.name);
      writer.writeInt("people", town.people);
    }

    @Override
    public Class<Town> getJavaClass() {
      return Town.class;
    }

    @Override
    public String getTypeName() {
      return "io.ensemble.test.Town";
    }
  }
}
