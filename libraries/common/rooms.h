// Rooms: where ranks of several processes of one machine meet and exchange bytes. What answers these calls is
// src/runtime/host/process-rooms.ts.
#pragma once
#include <stddef.h>

extern "C" {
enum HeddleRoom { ROOM_ABSENT = 0, ROOM_HERE = 1, ROOM_GONE = -1, ROOM_TAKEN = -2, ROOM_FAILED = -3, ROOM_NONE = -4 };

/// Makes a rank known in a room, with `info` for the others. Returns the number of the room; ROOM_TAKEN if another
/// process has the rank; ROOM_NONE where a program has no other processes (in a page).
int __heddle_room_enter(const char *name, int rank, int size, const void *info, int bytes);
/// ROOM_HERE, and what the rank said of itself; ROOM_ABSENT if it has not come yet; ROOM_GONE.
int __heddle_room_member(int room, int rank, void *info, int bytes);
/// The rank takes no more part.
void __heddle_room_leave(int room, int rank);
/// Appends to what `to` receives from `from` in a lane. Never waits.
int __heddle_room_send(int room, int lane, int from, int to, const void *data, int bytes);
/// Takes what is there, and returns its bytes; ROOM_GONE if there is nothing, and the sender is gone.
int __heddle_room_receive(int room, int lane, int from, int to, void *data, int bytes);
/// Between two polls. @param round polls so far in this wait
void __heddle_room_pause(int round);

/// Waits until `ready` holds, while other host threads run; another process makes it true.
void __heddle_wait_outside(int (*ready)(void *), void *argument, const char *what);
/// Waits until `ready` holds, or no host thread can go on. 0: it does not hold.
int __heddle_wait_locally(int (*ready)(void *), void *argument, const char *what);
}
