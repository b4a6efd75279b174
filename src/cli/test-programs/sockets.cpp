// TCP between two processes: rank 0 sends a text to whoever connects, and gets it back reversed.
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int main(int, char **argv) {
  int rank = atoi(argv[1]), port = atoi(argv[2]), fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
  char text[200000], got[200000];
  if (rank == 0) {
    for (size_t i = 0; i < sizeof text; i++) text[i] = (char)(i * 7);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(fd, (sockaddr *)&address, sizeof address) || listen(fd, 4)) return 1;
    int again = socket(AF_INET, SOCK_STREAM, 0);
    bind(again, (sockaddr *)&address, sizeof address);
    if (listen(again, 4) == 0 || errno != EADDRINUSE) return 2;
    socklen_t bytes = sizeof address;
    int client = accept(fd, (sockaddr *)&address, &bytes);
    if (send(client, text, sizeof text, 0) != sizeof text) return 3;
    if (recv(client, got, sizeof got, MSG_WAITALL) != sizeof got) return 4;
    for (size_t i = 0; i < sizeof got; i++)
      if (got[i] != text[sizeof got - 1 - i]) return 5;
    if (read(client, got, 1) != 0) return 6; // the end
    if (send(client, text, 1, 0) != 1) return 10; // the peer still receives
    while (send(client, text, 1, 0) == 1) usleep(1000);
    if (errno != EPIPE) return 11;
    close(client);
    close(fd);
    printf("PASSED\n");
    return 0;
  }
  while (connect(fd, (sockaddr *)&address, sizeof address) != 0) {
    if (errno != ECONNREFUSED) return 7;
    usleep(10000);
  }
  size_t have = 0;
  while (have < sizeof got) have += read(fd, got + have, sizeof got - have);
  for (size_t i = 0; i < sizeof got; i++) text[i] = got[sizeof got - 1 - i];
  if (write(fd, text, sizeof text) != sizeof text) return 8;
  if (shutdown(fd, SHUT_WR) || read(fd, got, 1) != 1) return 12;
  close(fd);
  inet_pton(AF_INET, "10.1.2.3", &address.sin_addr);
  fd = socket(AF_INET, SOCK_STREAM, 0);
  return connect(fd, (sockaddr *)&address, sizeof address) == 0 || errno != ENETUNREACH ? 9 : 0;
}
