/**
 * The endpoints, one class for each group: a list of routes beside the methods that answer them.
 * They ask a manager and know nothing of sockets.
 */
@NullMarked
package io.ensemble.rest.resource;

import org.jspecify.annotations.NullMarked;
