package io.ensemble.cli.demo;

import java.io.IOException;
import org.infinispan.protostream.FileDescriptorSource;
import org.infinispan.protostream.MessageMarshaller;
import org.infinispan.protostream.SerializationContext;
import org.infinispan.protostream.SerializationContextInitializer;

/**
 * The serialized form of a {@link ShopOrder}: a ProtoStream schema, written by hand as an example.
 */
final class OrderSchema implements SerializationContextInitializer {

  private static final String FILE = "ensemble-demo.proto";
  private static final String TYPE = "io.ensemble.demo.Order";
  private static final String TEXT =
      """
      syntax = "proto2";
      package io.ensemble.demo;
      message Order {
        required int32 id = 1;
        required string customer = 2;
        required string article = 3;
        required int32 quantity = 4;
        required int64 cents = 5;
        required string state = 6;
      }
      """;

  @Override
  public void registerSchema(SerializationContext context) {
    context.registerProtoFiles(FileDescriptorSource.fromString(FILE, TEXT));
  }

  @Override
  public void registerMarshallers(SerializationContext context) {
    context.registerMarshaller(new OrderMarshaller());
  }

  private static final class OrderMarshaller implements MessageMarshaller<ShopOrder> {

    @Override
    public ShopOrder readFrom(ProtoStreamReader reader) throws IOException {
      return new ShopOrder(
          reader.readInt("id"),
          reader.readString("customer"),
          reader.readString("article"),
          reader.readInt("quantity"),
          reader.readLong("cents"),
          reader.readString("state"));
    }

    @Override
    public void writeTo(ProtoStreamWriter writer, ShopOrder order) throws IOException {
      writer.writeInt("id", order.id());
      writer.writeString("customer", order.customer());
      writer.writeString("article", order.article());
      writer.writeInt("quantity", order.quantity());
      writer.writeLong("cents", order.cents());
      writer.writeString("state", order.state());
    }

    @Override
    public Class<ShopOrder> getJavaClass() {
      return ShopOrder.class;
    }

    @Override
    public String getTypeName() {
      return TYPE;
    }
  }
}
