/**
 * The proxy for clients in any language: a server that speaks ZooKeeper's protocol, and connects
 * each client to a {@link io.ensemble.zoofence.session.ZooFenceSession}.
 */
@NullMarked
package io.ensemble.zoofence.proxy;

import org.jspecify.annotations.NullMarked;
